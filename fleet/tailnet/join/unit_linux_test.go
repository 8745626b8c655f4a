package join_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"ocaptain/fleet/tailnet/join"
	"ocaptain/fleet/tailnet/tailnettest"
)

// verify has systemd itself read units, which it takes without a word.
func verify(t *testing.T, units ...string) {
	t.Helper()
	out, err := exec.Command("systemd-analyze", append([]string{"verify", "--man=no"}, units...)...).CombinedOutput()
	for line := range strings.SplitSeq(string(out), "\n") {
		if strings.Contains(line, "ocaptain-") {
			t.Error(line)
		}
	}
	if err != nil {
		t.Errorf("systemd-analyze: %v\n%s", err, out)
	}
}

// broken is a directory that is like a machine where systemd runs, with a systemctl that gets nowhere.
func broken(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for _, d := range []string{"run/systemd/system", "etc/systemd/system", "bin"} {
		if err := os.MkdirAll(filepath.Join(dir, d), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for name, script := range map[string]string{
		"systemctl": "#!/bin/sh\necho Failed to connect to bus >&2\nexit 1\n",
		"sudo":      "#!/bin/sh\n[ \"$1 $2\" = '-n --' ] || exit 1\nshift 2\nexec \"$@\"\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, "bin", name), []byte(script), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", filepath.Join(dir, "bin")+":"+os.Getenv("PATH"))
	return dir
}

// TestSomebodysMachine leaves no service on a machine where the ship's home is just a directory.
func TestSomebodysMachine(t *testing.T) {
	lab, shelf, home, dir := tailnettest.Start(t, ""), tailnettest.NewShelf(t), ship(t), broken(t)
	t.Cleanup(join.Machine(dir, "/home/somebody"))
	o := order(lab, shelf, signer(t))
	if a, err := obey(t, home, o); err != nil || !a.NeedsKey {
		t.Fatalf("%+v, %v", a, err)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "etc/systemd/system/ocaptain-*")); len(left) > 0 {
		t.Errorf("services: %s", left)
	}
}

// TestBrokenSystemd begins everything by hand where systemd is there and of no use, and leaves no service.
func TestBrokenSystemd(t *testing.T) {
	lab, shelf, home, dir := tailnettest.Start(t, ""), tailnettest.NewShelf(t), ship(t), broken(t)
	t.Cleanup(join.Machine(dir, home))
	o := order(lab, shelf, signer(t))
	o.Key = "any"
	if a, err := obey(t, home, o); err != nil || a.Node == "" || !strings.Contains(a.Note, "systemd does not look after its tailscaled") || !strings.Contains(a.Note, "systemctl daemon-reload: exit status 1: Failed to connect to bus") {
		t.Fatalf("%+v, %v", a, err)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "etc/systemd/system/ocaptain-*")); len(left) > 0 {
		t.Errorf("services: %s", left)
	}
	leave(t, home)
}

// TestKernelUnit is the unit of a tailscaled with a tunnel, with a path that needs care.
func TestKernelUnit(t *testing.T) {
	home := t.TempDir()
	text, err := join.KernelUnit(home, tailnettest.Binary(t))
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "ocaptain-tailscaled-0.service")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	verify(t, file)
	for _, want := range []string{"\nType=notify\n", "\nRestart=always\n", "\nExecStopPost=", `/a $$HOME %% \"b\" \\c"`, "\nWantedBy=multi-user.target\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
	if strings.Contains(text, "User=") {
		t.Errorf("root is needed:\n%s", text)
	}
}
