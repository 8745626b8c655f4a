package fleet

import (
	"fmt"
	"os"
	"path/filepath"

	"ocaptain/fleet/private"
)

// Hub says where ocaptain keeps its things on the captain's side.
type Hub struct {
	Home    string // the captain's home
	Voyages string // ~/voyages
	State   string // keys, helm's own files, local ships: ~/.local/share/ocaptain
	Config  string // ~/.config/ocaptain
	Cache   string // what can be fetched again: ~/.cache/ocaptain
	Runtime string // sockets; short, 0700
}

// FindHub reads the usual variables: HOME, XDG_DATA_HOME, XDG_CONFIG_HOME and XDG_CACHE_HOME, which count when they
// hold whole paths, as the XDG Base Directory Specification has it. OCAPTAIN_HOME puts everything under one directory, the cache too
// unless XDG_CACHE_HOME names another.
func FindHub() (Hub, error) {
	home, err := os.UserHomeDir()
	if err != nil {
		return Hub{}, fmt.Errorf("home directory: %w; set HOME", err)
	}
	if info, err := os.Stat(home); err != nil || !info.IsDir() || !filepath.IsAbs(home) { // git begins there, too
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
	h.Runtime, _ = RuntimeDir(h.State) // Make tells what is wrong: who asks a ship's own program needs no sockets
	return h, nil
}

// Agents is where the programs of agents are that ships on this machine may read.
func (h Hub) Agents() string { return filepath.Join(h.Cache, "agents") }

// MakeCache creates the cache, closed to other users, and in it the directory for agents. It closes a cache that is there already.
// The directory for agents is open: where the captain is root, ships are other users, and it is all that they see of the cache.
func (h Hub) MakeCache() error {
	if err := os.MkdirAll(h.Agents(), 0o700); err != nil {
		return err
	}
	if err := os.Chmod(h.Cache, 0o700); err != nil {
		return err
	}
	return os.Chmod(h.Agents(), 0o755)
}

// ConfigFile is what the captain has configured.
func (h Hub) ConfigFile() string { return filepath.Join(h.Config, "config.yaml") }

// RuntimeDir returns the directory for the sockets of helm and of local ships, whose own are in a directory
// each: /ID/tmux-UID/default.
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

// dirFrom is the directory that a variable names, or another where it names none by its whole path.
func dirFrom(variable, other string) string {
	if dir := os.Getenv(variable); filepath.IsAbs(dir) {
		return dir
	}
	return other
}
