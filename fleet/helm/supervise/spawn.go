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

// startHelm starts "ocaptain helm WHAT" on its own: in its own session, with no
// terminal, and with nothing secret in its environment. The words before it are those of
// a program that runs it; the channel closes when it ends.
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

// StartDetached starts a program in its own session, with no terminal, and with nothing secret in its environment. What it prints goes
// to out, which the caller may close. The channel closes when the program ends.
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
		_ = cmd.Wait() // how it ended is in its log
	}()
	return gone, nil
}

// environment keeps what helm needs to find its files and to let git and ssh
// work as they do for the captain. Tokens do not pass.
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
		if k == "OCAPTAIN_HOME" && value != "" { // helm has another working directory
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

// scopeCommand returns the words that start a program in a scope of its own, where systemd
// looks after the user: what is left in the scope of a login may be killed with it.
// Helm starts the guard and the local ships, which are in its scope then; it has no
// rule that kills them when helm dies.
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
