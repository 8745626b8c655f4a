package supervise

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"ocaptain/fleet"
)

// startHelm starts "ocaptain helm WHAT" in its own session, without a terminal, and with no secret in its
// environment. before are the words of a command that runs it. The channel is closed when it ends.
func startHelm(h fleet.Hub, what string, before ...string) (ended <-chan struct{}, err error) {
	bin, err := OwnBinary(h)
	if err != nil {
		return nil, err
	}
	out, err := openLog(h)
	if err != nil {
		return nil, err
	}
	defer out.Close()
	return StartDetached(out, append(before, bin.Path, "helm", what)...)
}

// StartDetached starts a program in its own session, without a terminal, and with no secret in its environment. Its output goes to
// out, which the caller may close. The channel is closed when the program ends.
func StartDetached(out *os.File, argv ...string) (ended <-chan struct{}, err error) {
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Dir = "/"
	cmd.Env = environment(os.Environ())
	cmd.Stdout, cmd.Stderr = out, out
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		_ = cmd.Wait() // its log says how it ended
	}()
	return gone, nil
}

// environment returns the variables that helm needs to find its files, and that git and ssh need to work as they do
// for the captain. It leaves out tokens.
func environment(all []string) []string {
	keep := []string{
		"HOME", "PATH", "USER", "LOGNAME", "SHELL", "LANG", "TMPDIR", "TZ", "SSH_AUTH_SOCK", "OCAPTAIN_HOME",
		"DBUS_SESSION_BUS_ADDRESS", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "no_proxy",
		"npm_config_registry", "NPM_CONFIG_REGISTRY",
		"OCAPTAIN_EXEDEV_URL", "OCAPTAIN_EXEDEV_KEY",
		"OCAPTAIN_TAILSCALE_SOCKET", "OCAPTAIN_TAILSCALE_LOGIN_SERVER", "OCAPTAIN_TAILSCALE_TARBALLS",
	}
	var env []string
	for _, kv := range all {
		k, value, _ := strings.Cut(kv, "=")
		if k == "OCAPTAIN_HOME" && value != "" { // make it absolute, since helm has another working directory
			if whole, err := filepath.Abs(value); err == nil {
				kv = k + "=" + whole
			}
		}
		if strings.HasPrefix(k, "XDG_") || strings.HasPrefix(k, "LC_") || slices.Contains(keep, k) {
			env = append(env, kv)
		}
	}
	return env
}

// scopeCommand returns the words of a command that starts a program in a systemd scope of its own, if systemd manages
// the user's processes: when the captain logs out, processes in the scope of the login may be killed. Helm starts the
// guard and local ships, which are then in helm's scope; that has no rule that kills them when helm dies.
func scopeCommand(ctx context.Context) []string {
	argv := []string{"systemd-run", "--user", "--scope", "--quiet", "--collect", "--"}
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, argv[0], append(argv[1:], "true")...)
	cmd.Env = environment(os.Environ())
	if cmd.Run() != nil {
		return nil
	}
	return argv
}
