package openssh

import (
	"os"
	"path/filepath"

	"ocaptain/sync/whole"
)

// Remember writes down where the captain's ssh-agent is, in a file that Remembered reads: helm may
// have been started before the agent was there. No agent, "", changes nothing.
func Remember(file, socket string) error {
	if socket == "" || socket == Remembered(file) {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return err
	}
	return whole.Write(file, []byte(socket), 0o600)
}

// Remembered is the socket that was last written down, "" for none.
func Remembered(file string) string {
	raw, err := os.ReadFile(file)
	if err != nil || len(raw) > 1000 {
		return ""
	}
	return string(raw)
}

// RememberOwn remembers the ssh-agent of this process for helm, which may have been started before it.
func RememberOwn(state string) error {
	return Remember(AgentFile(state), os.Getenv("SSH_AUTH_SOCK"))
}

// AgentFile is the file in a hub's state directory that Remember writes for helm.
func AgentFile(state string) string { return filepath.Join(state, "ssh-agent") }
