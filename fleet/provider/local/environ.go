package local

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// environ is the whole environment of a ship.
func (p *Provider) environ(at place) []string {
	shell := "/bin/sh"
	if _, err := os.Stat("/bin/bash"); err == nil {
		shell = "/bin/bash"
	}
	env := map[string]string{
		"PATH":            p.path(at),
		"HOME":            at.home,
		"USER":            p.user.Username,
		"LOGNAME":         p.user.Username,
		"SHELL":           shell,
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

// marker is the environment entry by which the processes of a ship are known.
func marker(at place) string { return "TMUX_TMPDIR=" + at.runtime }

// path is what the ship has itself, then what the captain has where the ship can see it, then
// the standard directories.
func (p *Provider) path(at place) string {
	if p.options.Path != "" {
		return p.options.Path
	}
	dirs := []string{filepath.Join(at.home, ".ocaptain", "bin"), filepath.Join(at.home, ".local", "bin")}
	hidden := p.hidden()
	for _, dir := range filepath.SplitList(os.Getenv("PATH")) {
		real, err := filepath.EvalSymlinks(dir)
		if err != nil || !filepath.IsAbs(dir) {
			continue
		}
		shown := func(name string) bool { return isUnder(dir, []string{name}) || isUnder(name, []string{dir}) }
		if !isUnder(real, hidden) || slices.ContainsFunc(p.options.ReadOnly, shown) {
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
