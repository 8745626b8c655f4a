package fleet

import (
	"fmt"
	"os"
	"path/filepath"

	"ocaptain/fleet/private"
)

// Hub names the directories in which ocaptain keeps its files on the captain's machine.
type Hub struct {
	Home    string // the captain's home directory
	Voyages string // ~/voyages
	State   string // keys, helm's own files, local ships: ~/.local/share/ocaptain
	Config  string // ~/.config/ocaptain
	Cache   string // what can be downloaded again: ~/.cache/ocaptain
	Runtime string // sockets; a short path, mode 0700
}

// FindHub reads the usual variables: HOME, XDG_DATA_HOME, XDG_CONFIG_HOME and XDG_CACHE_HOME. It ignores relative paths in them, as
// the XDG Base Directory Specification demands. OCAPTAIN_HOME puts everything under one directory, the cache too unless
// XDG_CACHE_HOME names another.
func FindHub() (Hub, error) {
	home, err := os.UserHomeDir()
	if err != nil {
		return Hub{}, fmt.Errorf("home directory: %w; set HOME", err)
	}
	if info, err := os.Stat(home); err != nil || !info.IsDir() || !filepath.IsAbs(home) { // git searches here, too
		return Hub{}, fmt.Errorf("HOME is %s, and that is not the whole path of a directory: make it, or set HOME to another", home)
	}
	h := Hub{
		Home:    home,
		Voyages: filepath.Join(home, "voyages"),
		State:   filepath.Join(dirFrom("XDG_DATA_HOME", filepath.Join(home, ".local", "share")), "ocaptain"),
		Config:  filepath.Join(dirFrom("XDG_CONFIG_HOME", filepath.Join(home, ".config")), "ocaptain"),
	}
	caches := filepath.Join(home, ".cache")
	if all := os.Getenv("OCAPTAIN_HOME"); all != "" {
		if all, err = filepath.Abs(all); err != nil {
			return Hub{}, err
		}
		h.Voyages, h.State, h.Config = filepath.Join(all, "voyages"), filepath.Join(all, "state"), filepath.Join(all, "config")
		caches = filepath.Join(all, "cache")
	}
	h.Cache = filepath.Join(dirFrom("XDG_CACHE_HOME", caches), "ocaptain")
	h.Runtime, _ = RuntimeDir(h.State) // Make reports the error: a program on a ship needs no sockets
	return h, nil
}

// Agents returns the directory with the programs of agents, which ships on this machine may read.
func (h Hub) Agents() string { return filepath.Join(h.Cache, "agents") }

// MakeCache creates the cache directory and closes it to other users, also if it exists. The directory for agents in it is open to
// others: if the captain is root, local ships are other users, and need to read it.
func (h Hub) MakeCache() error {
	if err := os.MkdirAll(h.Agents(), 0o700); err != nil {
		return err
	}
	if err := os.Chmod(h.Cache, 0o700); err != nil {
		return err
	}
	return os.Chmod(h.Agents(), 0o755)
}

// ConfigFile returns the path of the captain's configuration.
func (h Hub) ConfigFile() string { return filepath.Join(h.Config, "config.yaml") }

// RuntimeDir returns the directory for the sockets of helm and of local ships. Each local ship has its sockets in a
// directory of its own: /ID/tmux-UID/default.
func RuntimeDir(state string) (string, error) {
	return private.SocketDir(filepath.Join(state, "run"), 37)
}

// Make creates the directories that helm needs, closed to other users.
func (h Hub) Make() error {
	for _, d := range []string{h.State, h.Config, h.Voyages} {
		if err := os.MkdirAll(d, 0o700); err != nil {
			return err
		}
	}
	if _, err := RuntimeDir(h.State); err != nil {
		return err
	}
	return private.Make(h.Runtime)
}

// dirFrom returns the absolute path that an environment variable holds, or other if it holds none.
func dirFrom(variable, other string) string {
	if dir := os.Getenv(variable); filepath.IsAbs(dir) {
		return dir
	}
	return other
}
