//go:build long

package hosts_test

import (
	"os/exec"
	"path/filepath"
	"testing"
)

// known_hosts may have another name for a host, with or without a port, in every way that OpenSSH allows.
func TestHostKeyAlias(t *testing.T) {
	t.Parallel()
	for alias, known := range map[string]string{"berth": "berth:22", "[berth]:2222": "berth:2222"} {
		p := newPort(t)
		quay := p.start("quay", []string{"HostKeyAlias " + alias})
		p.Forget()
		p.Knows(known, quay.Key)
		config := filepath.Join(p.Home, ".ssh", "config")
		if out, err := exec.Command("ssh", "-F", config, "-o", "BatchMode=yes", "-o", "IdentitiesOnly=yes", "quay", "true").CombinedOutput(); err != nil {
			t.Errorf("%s: ssh: %v\n%s", alias, err, out)
		}
		p.create("ship-0")
	}
}
