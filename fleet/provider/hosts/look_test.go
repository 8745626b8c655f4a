package hosts

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// Whether the end of a login kills ships is derived from the settings that systemd-logind reports.
func TestKills(t *testing.T) {
	dir := t.TempDir()
	for said, kills := range map[string]bool{
		"KillUserProcesses=no\nKillExcludeUsers=root\nKillOnlyUsers=":      false,
		"KillUserProcesses=yes\nKillExcludeUsers=root\nKillOnlyUsers=":     true,
		"KillUserProcesses=yes\nKillExcludeUsers=root ada\nKillOnlyUsers=": false,
		"KillUserProcesses=yes\nKillExcludeUsers=root\nKillOnlyUsers=bob":  false,
		"KillUserProcesses=yes\nKillOnlyUsers=bob ada":                     true,
		"EnableWallMessages=no": false,
	} {
		script := "#!/bin/sh\nprintf '" + said + "\\n'\n"
		if err := os.WriteFile(filepath.Join(dir, "loginctl"), []byte(script), 0o755); err != nil {
			t.Fatal(err)
		}
		cmd := exec.CommandContext(t.Context(), "/bin/sh", "-c", lookScript, "hosted", Root)
		cmd.Env = append(os.Environ(), "HOME="+dir, "PATH="+dir+":"+os.Getenv("PATH"))
		out, err := cmd.Output()
		if err != nil {
			t.Fatal(err)
		}
		l := Look{User: "ada", Free: -1}
		l.read(string(out))
		if l.Kills != kills || l.Free < 0 || l.Git == "" || l.Ships != 0 {
			t.Errorf("%q: %+v", said, l)
		}
	}
}
