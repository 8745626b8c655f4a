package openssh

import (
	"os"
	"path/filepath"

	"ocaptain/sync/whole"
)

// Remember stores the path of the captain's ssh-agent socket in a file that Remembered reads, since helm may have
// been started before the agent. If socket is "", it does nothing.
func Remember(file, socket string) error {
	if socket == "" || socket == Remembered(file) {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return err
	}
	return whole.Write(file, []byte(socket), 0o600)
}

// Remembered returns the socket that was stored last, "" for none.
func Remembered(file string) string {
	raw, err := os.ReadFile(file)
	if err != nil || len(raw) > 1000 {
		return ""
	}
	return string(raw)
}

// RememberOwn stores the ssh-agent of this process for helm, which may have been started before the agent.
func RememberOwn(state string) error {
	return Remember(AgentFile(state), os.Getenv("SSH_AUTH_SOCK"))
}

// AgentFile returns the path of the file in a hub's state directory that Remember writes for helm.
func AgentFile(state string) string { return filepath.Join(state, "ssh-agent") }
