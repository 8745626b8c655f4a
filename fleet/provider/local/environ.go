package local

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// environ is the whole environment of a ship.
func (p *Provider) environ(r *record, confined bool) []string {
	at, who := p.place(r), p.account(r, confined)
	env := map[string]string{
		"PATH":            p.path(r, confined),
		"HOME":            at.home,
		"USER":            who.name,
		"LOGNAME":         who.name,
		"SHELL":           shell(),
		"LANG":            "C.UTF-8",
		"TERM":            "xterm-256color",
		"XDG_RUNTIME_DIR": at.runtime,
	}
	maps.Copy(env, p.options.Env)
	list := []string{marker(at)}
	for _, name := range slices.Sorted(maps.Keys(env)) {
		list = append(list, name+"="+env[name])
	}
	return list
}

// shell is the login shell of ships.
func shell() string {
	if _, err := os.Stat("/bin/bash"); err == nil {
		return "/bin/bash"
	}
	return "/bin/sh"
}

// marker is the environment entry by which the processes of a ship are known.
func marker(at place) string { return "TMUX_TMPDIR=" + at.runtime }

// path is what the ship has itself, then what the captain has where the ship can see it, then
// the standard directories.
func (p *Provider) path(r *record, confined bool) string {
	if p.options.Path != "" {
		return p.options.Path
	}
	home := p.place(r).home
	dirs := []string{filepath.Join(home, ".ocaptain", "bin"), filepath.Join(home, ".local", "bin")}
	for _, dir := range filepath.SplitList(os.Getenv("PATH")) {
		if filepath.IsAbs(dir) && (!confined || p.sees(dir, r.Bind)) {
			dirs = append(dirs, dir)
		}
	}
	dirs = append(dirs, "/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin")
	var once []string
	for _, dir := range dirs {
		if !slices.Contains(once, dir) {
			once = append(once, dir)
		}
	}
	return strings.Join(once, string(os.PathListSeparator))
}

// isUnder tells whether name is one of the directories or in one.
func isUnder(name string, dirs []string) bool {
	for _, dir := range dirs {
		if name == dir || strings.HasPrefix(name, strings.TrimSuffix(dir, "/")+"/") {
			return true
		}
	}
	return false
}
