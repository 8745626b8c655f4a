package mutagen

import (
	"crypto/ed25519"
	"encoding/pem"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/crypto/ssh"

	"ocaptain/tasks/eventually"
)

// sshd makes a host whose ProxyCommand runs an sshd for each connection. Its commands begin with before. The server
// itself sets HOME to dir: if the command set it, the login shell would already have read the startup files of the
// account that runs the test.
func sshd(t *testing.T, h *Home, name, dir string, before ...string) Host {
	t.Helper()
	if os.Getuid() == 0 { // sshd needs this directory
		if err := os.MkdirAll("/run/sshd", 0o755); err != nil {
			t.Fatal(err)
		}
	}
	at := t.TempDir()
	key := func(file string) string {
		public, private, err := ed25519.GenerateKey(nil)
		if err != nil {
			t.Fatal(err)
		}
		block, err := ssh.MarshalPrivateKey(private, "")
		if err != nil {
			t.Fatal(err)
		}
		put(t, at, map[string]string{file: string(pem.EncodeToMemory(block))})
		if err := os.Chmod(filepath.Join(at, file), 0o600); err != nil {
			t.Fatal(err)
		}
		line, err := ssh.NewPublicKey(public)
		if err != nil {
			t.Fatal(err)
		}
		return strings.TrimSpace(string(ssh.MarshalAuthorizedKey(line)))
	}
	host := Host{Name: name, User: currentUser(t), Keys: []string{key("host")}, Login: filepath.Join(at, "login")}
	put(t, at, map[string]string{"authorized": key("login"), "config": strings.Join([]string{
		"HostKey " + at + "/host", "AuthorizedKeysFile " + at + "/authorized", "StrictModes no", "UsePAM no", "PidFile none",
		"PermitRootLogin prohibit-password", "PrintMotd no", "PrintLastLog no", "SetEnv HOME=" + dir, "ForceCommand cd '" + dir + "' && " + strings.Join(before, " ") + ` sh -c "$SSH_ORIGINAL_COMMAND"`,
	}, "\n") + "\n"})
	host.Proxy = []string{"/usr/sbin/sshd", "-i", "-f", filepath.Join(at, "config")}
	if err := h.AddHost(host); err != nil {
		t.Fatal(err)
	}
	return host
}

func currentUser(t *testing.T) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "id", "-un").Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}

// TestOverSSH: a session over ssh works, also after the agent on the host and the daemon here were killed.
func TestOverSSH(t *testing.T) {
	h := open(t)
	home := short(t)
	host := sshd(t, h, "ship-0.voyage-1", home)
	spec := local(t)
	spec.B = Endpoint{Host: host.Name, Path: filepath.Join(home, "work dir")}
	put(t, spec.A.Path, map[string]string{"x": "1"})
	p := h.pair(t, spec)
	has(t, spec.B.Path, map[string]string{"x": "1"})

	other := maps.Clone(spec.Labels)
	other["ocaptain.ship"] = "ship-1"
	if _, err := h.Ensure(t.Context(), Spec{Mode: TwoWay, A: Endpoint{Path: t.TempDir()}, B: spec.B, Labels: other}); !errors.Is(err, ErrTaken) {
		t.Errorf("a second session on one directory: %v", err)
	}

	killAll(t, home, syscall.SIGKILL)
	put(t, spec.B.Path, map[string]string{"y": "2"})
	p.flush()
	has(t, spec.A.Path, map[string]string{"y": "2"})

	kill(t, daemon(t, h), syscall.SIGKILL)
	put(t, spec.B.Path, map[string]string{"z": "3"})
	p.flush()
	has(t, spec.A.Path, map[string]string{"z": "3"})
}

// TestHostKey: Mutagen does not connect to a host with an unknown key.
func TestHostKey(t *testing.T) {
	h := open(t)
	home := short(t)
	host := sshd(t, h, "ship-0.voyage-1", home)
	other := sshd(t, h, "other", home)
	host.Keys = other.Keys
	if err := h.AddHost(host); err != nil {
		t.Fatal(err)
	}
	spec := local(t)
	spec.B = Endpoint{Host: host.Name, Path: filepath.Join(home, "work")}
	_, err := h.Ensure(eventually.Context(t), spec)
	var e *Error
	if !errors.As(err, &e) || e.Command != "sync create" || !strings.Contains(e.Said, "Host key verification failed") {
		t.Errorf("%v", err)
	}
	if err := h.AddHost(Host{Name: "-oProxyCommand=x"}); err == nil {
		t.Error("any name will do")
	}
}

// daemon returns the pid of the daemon: the process with the data directory in its environment that runs "daemon".
func daemon(t *testing.T, h *Home) int {
	t.Helper()
	for _, pid := range processes(t, "MUTAGEN_DATA_DIRECTORY="+h.dir) {
		argv, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
		if strings.Contains(string(argv), "daemon\x00run") {
			return pid
		}
	}
	t.Fatal("no daemon runs")
	return 0
}

// processes returns the pids of processes with text in their environment.
func processes(t *testing.T, text string) (found []int) {
	t.Helper()
	all, err := filepath.Glob("/proc/[0-9]*/environ")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range all {
		if env, _ := os.ReadFile(file); strings.Contains(string(env)+"\x00", text+"\x00") {
			pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(file)))
			found = append(found, pid)
		}
	}
	return found
}

func killAll(t *testing.T, home string, sig syscall.Signal) {
	t.Helper()
	all := processes(t, "HOME="+home)
	if len(all) == 0 {
		t.Fatal("no agent runs")
	}
	for _, pid := range all {
		kill(t, pid, sig)
	}
}

func kill(t *testing.T, pid int, sig syscall.Signal) {
	t.Helper()
	if err := syscall.Kill(pid, sig); err != nil && !errors.Is(err, syscall.ESRCH) {
		t.Fatal(err)
	}
}
