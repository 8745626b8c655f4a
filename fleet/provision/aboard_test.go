package provision

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"ocaptain/fleet/proto"
)

// TestHave runs the script that looks for the program, on ships that have it and ships that do not.
func TestHave(t *testing.T) {
	for name, c := range map[string]struct {
		has  bool   // the ship has the program
		link bool   // the ship has a link to what it once saw
		sees string // what a ship on this machine sees, as DIGEST:PATH
		want string // what the link leads to, "" for nothing
	}{
		"has":                     {has: true, want: "mine"},
		"has and sees":            {has: true, sees: "d1:seen", want: "seen"},
		"has and sees another":    {has: true, sees: "d2:seen", want: "mine"},
		"has and sees none there": {has: true, sees: "d1:gone", want: "mine"},
		"sees":                    {sees: "d1:seen", want: "seen"},
		"sees another":            {sees: "d2:seen"},
		"sees one without digest": {sees: ":seen"},
		"sees a lost file":        {sees: "d1:gone"},
		"sees none":               {},
		"saw":                     {link: true},
		"saw and sees":            {link: true, sees: "d1:seen", want: "seen"},
		"saw and sees another":    {link: true, sees: "d2:seen"},
	} {
		t.Run(name, func(t *testing.T) {
			home := t.TempDir()
			if err := os.WriteFile(filepath.Join(home, "seen"), []byte("seen"), 0o755); err != nil {
				t.Fatal(err)
			}
			if c.has || c.link {
				if err := os.MkdirAll(filepath.Join(home, filepath.Dir(Binary)), 0o755); err != nil {
					t.Fatal(err)
				}
			}
			if c.link {
				if err := os.Symlink(filepath.Join(home, "seen"), filepath.Join(home, Binary+"-d1")); err != nil {
					t.Fatal(err)
				}
			}
			if c.has {
				if err := os.WriteFile(filepath.Join(home, Binary+"-d1"), []byte("mine"), 0o755); err != nil {
					t.Fatal(err)
				}
			}
			cmd := exec.Command("/bin/sh", "-c", have, "have", Binary+"-d1", Binary, "d1")
			cmd.Dir, cmd.Env = home, []string{"PATH=/usr/bin:/bin"}
			if digest, file, sees := strings.Cut(c.sees, ":"); sees { // the path is absolute, as a ship sees it
				cmd.Env = append(cmd.Env, proto.Program+"="+digest+":"+filepath.Join(home, file))
			}
			out, err := cmd.CombinedOutput()
			got, _ := os.ReadFile(filepath.Join(home, Binary))
			if string(got) != c.want || (err == nil) != (c.want != "") {
				t.Errorf("the link leads to %q, want %q; %v %s", got, c.want, err, out)
			}
		})
	}
}
