package local_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// captain is the user id of daemon, who exists on every machine.
const captain = 1

// ordinary is an environment variable that is set in the process of an ordinary captain.
const ordinary = "ORDINARY_CAPTAIN"

// superuser fails the test unless the superuser runs it.
func superuser(t *testing.T) {
	t.Helper()
	if os.Getuid() != 0 {
		t.Fatal("only the superuser can be each kind of captain: run this test as root")
	}
}

// eachCaptain runs a test as the superuser, and again in the process of an ordinary captain.
func eachCaptain(t *testing.T, test func(*testing.T)) {
	t.Helper()
	if os.Getenv(ordinary) != "" {
		test(t)
		return
	}
	superuser(t)
	name := t.Name()
	t.Run("superuser", test)
	t.Run("ordinary", func(t *testing.T) { runAs(t, name, nil) })
}

// asCaptain is a script that makes the device that pasta needs for an ordinary captain. udev lets everybody use it,
// but some machines have no udev.
const asCaptain = `mknod -m 666 "$0/tun" c 10 200
chmod 666 "$0/tun"
mount --bind "$0/tun" /dev/net/tun
exec setpriv "$@"`

// privileges returns setpriv's arguments for an ordinary captain.
func privileges(groups []uint32) []string {
	argv := []string{fmt.Sprintf("--reuid=%d", captain), fmt.Sprintf("--regid=%d", captain)}
	if len(groups) == 0 {
		return append(argv, "--clear-groups")
	}
	var all []string
	for _, g := range groups {
		all = append(all, fmt.Sprint(g))
	}
	return append(argv, "--groups="+strings.Join(all, ","))
}

// runAs runs a test in the process of an ordinary captain.
func runAs(t *testing.T, test string, groups []uint32, env ...string) {
	home, err := os.MkdirTemp("/var/tmp", "captain-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(home) })
	program := filepath.Join(home, "test")
	raw, err := os.ReadFile(os.Args[0])
	if err != nil {
		t.Fatal(err)
	}
	writeFile(t, program, string(raw), 0o755)
	if err := os.Chown(home, captain, captain); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("unshare", append([]string{"--mount", "sh", "-ec", asCaptain, home}, append(privileges(groups), program, attackRole, "-test.run=^"+test+"$", "-test.v")...)...)
	cmd.Dir, cmd.Env = home, append(env, ordinary+"=yes", "HOME="+home, "TMPDIR="+home, "PATH="+os.Getenv("PATH"))
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "--- PASS: "+test) {
		t.Errorf("%v\n%s", err, out)
	}
}
