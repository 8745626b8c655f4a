package config

import (
	"slices"
	"strings"
	"testing"
)

// The patterns of a captain.yaml do not replace the captain's own in config.yaml, even when the captain named the
// file.
func TestBring(t *testing.T) {
	dir := write(t, map[string]string{"config.yaml": "bring: [.env]\nbring_size: 32MB\nbring_files: 5\n"})
	for _, named := range []bool{true, false} {
		file := readCaptain(t, "bring: [certs/, \"!certs/x\"]\n", named)
		c, err := Load(Sources{Dir: dir, Captain: file})
		if err != nil || !slices.Equal(c.Bring, []string{".env"}) || c.BringSize != 32<<20 || c.BringFiles != 5 {
			t.Errorf("%q, %d, %d: %v", c.Bring, c.BringSize, c.BringFiles, err)
		}
		if got := file.List("bring"); !slices.Equal(got, []string{"certs/", "!certs/x"}) {
			t.Errorf("%q", got)
		}
	}
	if c, err := Load(Sources{Dir: t.TempDir()}); err != nil || c.Bring != nil || c.BringSize != 64<<20 || c.BringFiles != 1000 {
		t.Errorf("by default %q, %d, %d: %v", c.Bring, c.BringSize, c.BringFiles, err)
	}
	_, err := Load(Sources{Dir: write(t, map[string]string{"config.yaml": "bring_files: 0\nbring_size: 1MB\nbring: []\n"})})
	for _, want := range []string{"must be a whole number from 1 to 100000", "must be 32MB or more", "bring names no pattern"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v lacks %q", err, want)
		}
	}
}
