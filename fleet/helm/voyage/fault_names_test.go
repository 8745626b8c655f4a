package voyage

import (
	"fmt"
	"os"
	"path/filepath"

	"ocaptain/fleet/provider/hosts/hoststest"
)

// leads has the name of a host, harbour in the captain's configuration of ssh, lead to an address.
func leads(owner *hoststest.Captain, address string) {
	owner.Helper()
	if err := os.WriteFile(filepath.Join(owner.Home, ".ssh", "harbour"), []byte("HostName "+address+"\n"), 0o600); err != nil {
		owner.Fatal(err)
	}
}

// leftOn tells what is left of ships on a host.
func leftOn(all ...*hoststest.Host) func() []string {
	return func() (left []string) {
		for _, h := range all {
			for pid, command := range h.Processes("") {
				left = append(left, fmt.Sprint(h.Name, " ", pid, " ", command))
			}
			files, _ := filepath.Glob(filepath.Join(h.Ships(), "*"))
			left = append(left, files...)
		}
		return left
	}
}
