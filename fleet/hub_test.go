package fleet

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// MakeCache closes the cache to other users, whether it creates the cache or finds it open. It leaves the directory of agents open: if the
// captain is root, local ships are other users and need to read it.
func TestMakeCache(t *testing.T) {
	h := Hub{Cache: filepath.Join(t.TempDir(), "cache")}
	check := func() {
		t.Helper()
		if err := h.MakeCache(); err != nil {
			t.Fatal(err)
		}
		for dir, want := range map[string]os.FileMode{h.Cache: 0o700, h.Agents(): 0o755} {
			if info, err := os.Stat(dir); err != nil || info.Mode().Perm() != want {
				t.Errorf("%s: %v, %v, want %v", dir, info.Mode(), err, want)
			}
		}
	}
	check()
	if err := os.Chmod(h.Cache, 0o755); err != nil {
		t.Fatal(err)
	}
	check()
}

// OCAPTAIN_HOME moves all directories, XDG_CACHE_HOME only the cache; a variable with a relative path is ignored.
func TestFindHub(t *testing.T) {
	for _, c := range []struct {
		name           string
		env            map[string]string
		state, conf    string
		cache, voyages string
	}{
		{"usual", nil, "/h/.local/share/ocaptain", "/h/.config/ocaptain", "/h/.cache/ocaptain", "/h/voyages"},
		{"named", map[string]string{"XDG_DATA_HOME": "/d", "XDG_CONFIG_HOME": "/c", "XDG_CACHE_HOME": "/k"}, "/d/ocaptain", "/c/ocaptain", "/k/ocaptain", "/h/voyages"},
		{
			"relative paths do not count",
			map[string]string{"XDG_DATA_HOME": "d", "XDG_CONFIG_HOME": "./c", "XDG_CACHE_HOME": ".."},
			"/h/.local/share/ocaptain", "/h/.config/ocaptain", "/h/.cache/ocaptain", "/h/voyages",
		},
		{"all in one", map[string]string{"OCAPTAIN_HOME": "/o", "XDG_DATA_HOME": "/d"}, "/o/state", "/o/config", "/o/cache/ocaptain", "/o/voyages"},
		{"all but the cache", map[string]string{"OCAPTAIN_HOME": "/o", "XDG_CACHE_HOME": "/k"}, "/o/state", "/o/config", "/k/ocaptain", "/o/voyages"},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, name := range []string{"OCAPTAIN_HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME"} {
				t.Setenv(name, c.env[name])
			}
			home := t.TempDir()
			t.Setenv("HOME", home)
			h, err := FindHub()
			for _, path := range []*string{&c.voyages, &c.state, &c.conf, &c.cache} {
				*path = strings.Replace(*path, "/h/", home+"/", 1)
			}
			want := Hub{Home: home, Voyages: c.voyages, State: c.state, Config: c.conf, Cache: c.cache, Runtime: h.Runtime}
			if err != nil || h != want {
				t.Errorf("got %+v, %v", h, err)
			}
			t.Setenv("HOME", filepath.Join(home, "none"))
			if _, err := FindHub(); err == nil || !strings.Contains(err.Error(), "HOME is "+home) {
				t.Errorf("a home that is not there: %v", err)
			}
		})
	}
}
