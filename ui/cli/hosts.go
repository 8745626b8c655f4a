package cli

import (
	"context"
	"fmt"
	"strings"

	"ocaptain/fleet"
	"ocaptain/fleet/install"
	"ocaptain/ui/cli/config"
	"ocaptain/ui/launch"
	"ocaptain/ui/words"
)

// leastFree is how much room a ship should find on a host, in MiB.
const leastFree = 1024

// hostFindings checks the captain's hosts, at the same time.
func hostFindings(ctx context.Context, hub fleet.Hub, c config.Config) []finding {
	chosen := shipsFrom(c, "hosts")
	if len(c.Hosts) == 0 {
		if !chosen {
			return nil
		}
		return []finding{{What: "hosts", Found: "none is configured", Need: "ships on your hosts", Fix: "name them in " + hub.ConfigFile() + ", like: hosts: [user@host]", State: missing, Required: true}}
	}
	looks, err := launch.LookAtHosts(ctx, hub, c.Hosts)
	if err != nil {
		return []finding{{What: "hosts", Found: err.Error(), Need: "ships on your hosts", State: missing, Required: chosen}}
	}
	var all []finding
	for _, l := range looks {
		f := finding{What: "host " + l.Host, Need: "ships on your hosts", State: healthy, Required: chosen}
		if l.Err != nil {
			f.Found, f.State, f.Fix = l.Err.Error(), missing, "cure that, or take the host out of "+hub.ConfigFile()
			all = append(all, f)
			continue
		}
		said := []string{l.User + "@" + l.Addr, l.OS + " " + l.Arch, l.Git, l.Tmux, words.FirstLine(l.Bash), words.Counted(l.Ships, "ship")}
		lacking, doubts := l.MissingPrograms()
		_, noProgram := install.ProgramSource(hub, l.OS, l.Arch)
		if noProgram != nil {
			doubts = append(doubts, noProgram.Error())
		}
		if l.Walls != "" {
			doubts = append(doubts, "ships cannot be confined: "+l.Walls)
		}
		if l.Kills {
			doubts = append(doubts, "its systemd-logind ends ships with the login that made them (KillUserProcesses=yes)")
			f.Fix = "set KillExcludeUsers=root " + l.User + " in /etc/systemd/logind.conf there, then: sudo systemctl restart systemd-logind"
		}
		if l.Free >= 0 && l.Free < leastFree {
			doubts = append(doubts, fmt.Sprintf("only %d MiB are free", l.Free))
		}
		switch {
		case noProgram != nil:
			f.State, f.Fix = missing, "build ocaptain from source here, with Go, or get that of the release for ships"
		case len(lacking) > 0:
			f.State, f.Fix = missing, "install there: "+strings.Join(lacking, ", ")
		case len(doubts) > 0:
			f.State = doubt
		}
		said = append(doubts, said...)
		f.Found = strings.Join(said, ", ")
		all = append(all, f)
	}
	return all
}
