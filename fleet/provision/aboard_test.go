package provision

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"ocaptain/fleet/proto"
)

// TestHave runs the script that looks for the program, on ships that have it and ships that do not.
func TestHave(t *testing.T) {
	for name, c := range map[string]struct {
		has  bool   // the ship has the program
		sees string // what a ship on this machine sees, as DIGEST:PATH
		want string // what the link leads to, "" for nothing
	}{
		"has":                     {has: true, want: "mine"},
		"has and sees":            {has: true, sees: "d1:seen", want: "mine"},
		"sees":                    {sees: "d1:seen", want: "seen"},
		"sees another":            {sees: "d2:seen"},
		"sees one without digest": {sees: ":seen"},
		"sees a lost file":        {sees: "d1:gone"},
		"sees none":               {},
	} {
		t.Run(name, func(t *testing.T) {
			home := t.TempDir()
			if err := os.WriteFile(filepath.Join(home, "seen"), []byte("seen"), 0o755); err != nil {
				t.Fatal(err)
			}
			if c.has {
				if err := os.MkdirAll(filepath.Join(home, filepath.Dir(Binary)), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(filepath.Join(home, Binary+"-d1"), []byte("mine"), 0o755); err != nil {
					t.Fatal(err)
				}
			}
			cmd := exec.Command("/bin/sh", "-c", have, "have", Binary+"-d1", Binary, "d1")
			cmd.Dir, cmd.Env = home, []string{"PATH=/usr/bin:/bin"}
			if c.sees != "" {
				cmd.Env = append(cmd.Env, proto.Program+"="+c.sees)
			}
			out, err := cmd.CombinedOutput()
			got, _ := os.ReadFile(filepath.Join(home, Binary))
			if string(got) != c.want || (err == nil) != (c.want != "") {
				t.Errorf("the link leads to %q, want %q; %v %s", got, c.want, err, out)
			}
		})
	}
}
