package local

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"ocaptain/fleet/proto"
	"ocaptain/fleet/provider/local/sandbox"
)

// environ returns the whole environment of a ship.
func (p *Provider) environ(r *record, confined bool) []string {
	at, who := p.dirs.place(r), p.user(r, confined)
	env := map[string]string{
		"PATH":            p.path(r, confined),
		"HOME":            at.Home,
		"USER":            who.Name,
		"LOGNAME":         who.Name,
		"SHELL":           sandbox.Shell(),
		"LANG":            "C.UTF-8",
		"TERM":            "xterm-256color",
		"XDG_RUNTIME_DIR": at.Runtime,
	}
	if confined && p.options.Digest != "" {
		env[proto.Program] = p.options.Digest + ":" + sandbox.Program
	}
	maps.Copy(env, p.options.Env)
	list := []string{at.Marker()}
	for _, name := range slices.Sorted(maps.Keys(env)) {
		list = append(list, name+"="+env[name])
	}
	return list
}

// path returns the ship's PATH: its own directories, then those in the captain's PATH that it can see, then the
// standard ones.
func (p *Provider) path(r *record, confined bool) string {
	if p.options.Path != "" {
		return p.options.Path
	}
	home := p.dirs.place(r).Home
	view := p.options.view(r.Bind)
	dirs := []string{filepath.Join(home, ".ocaptain", "bin"), filepath.Join(home, ".local", "bin")}
	for _, dir := range filepath.SplitList(os.Getenv("PATH")) {
		if filepath.IsAbs(dir) && (!confined || view.Sees(dir)) {
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
