// Package steer finds files that steer agents, or the tools of people who work in a tree.
package steer

import (
	"context"
	"maps"
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"ocaptain/sync/gitflow/git"
)

// maxLooked bounds the bytes of paths that Paths reads, since other merges may wait. Paths beyond it count as
// steering, so that no work is let in because it is large.
const maxLooked = 256 << 20

// maxHops is the number of symbolic links that Linux follows in one path.
const maxHops = 40

// steeringDirs are directories whose files tell agents, editors, git or a build service what to do or to run. A name
// of two parts means a directory directly in another one.
var steeringDirs = map[string]bool{
	".claude": true, ".cursor": true, ".gemini": true, ".codex": true, ".opencode": true, ".amp": true, ".agents": true,
	".windsurf": true, ".clinerules": true, ".roo": true, ".continue": true, ".kiro": true,
	".github/workflows": true, ".github/actions": true, ".github/instructions": true, ".github/prompts": true,
	".github/agents": true, ".github/chatmodes": true, ".github/hooks": true, ".github/skills": true,
	".husky": true, ".githooks": true, ".git-hooks": true, ".idea": true, ".vscode": true, ".zed": true,
	".devcontainer": true, ".circleci": true, ".buildkite": true, ".forgejo": true, ".gitea": true,
}

// steeringFiles are files that tell agents or tools what to do or to run.
var steeringFiles = map[string]bool{
	"claude.md": true, "claude.local.md": true, "agents.md": true, "agents.override.md": true, "agent.md": true, "gemini.md": true,
	".github/copilot-instructions.md": true, ".cursorrules": true, ".windsurfrules": true, ".clinerules": true, ".roorules": true,
	".roomodes": true, ".goosehints": true, ".aider.conf.yml": true,
	".mcp.json": true, ".claude.json": true, "opencode.json": true, "opencode.jsonc": true, ".devcontainer.json": true,
	".pre-commit-config.yaml": true, "lefthook.yml": true, "lefthook.yaml": true, ".lefthook.yml": true, ".lefthook.yaml": true,
	".gitlab-ci.yml": true, ".travis.yml": true, "jenkinsfile": true, "azure-pipelines.yml": true, "bitbucket-pipelines.yml": true,
}

// steers reports whether the name of a file says that it steers agents or tools. It ignores case, as some file
// systems do, and finds steering directories at any depth.
func steers(name string) bool {
	parts := strings.Split(plainName(name), "/")
	for i, part := range parts {
		both := part
		if i > 0 {
			both = parts[i-1] + "/" + part
		}
		if steeringDirs[part] || steeringDirs[both] {
			return true
		}
		if i == len(parts)-1 {
			return steeringFiles[part] || steeringFiles[both] || strings.HasPrefix(part, ".env")
		}
	}
	return false
}

// plainName folds a name as the file systems do that distinguish the fewest names.
func plainName(name string) string {
	return strings.Map(func(c rune) rune {
		if c < utf8.RuneSelf {
			return c
		}
		for f := unicode.SimpleFold(c); f != c; f = unicode.SimpleFold(f) { // letters of other scripts that fold to one of a to z
			if f >= 'a' && f <= 'z' {
				return f
			}
		}
		return c
	}, git.FoldName(name))
}

// Paths returns, sorted, the changed paths that steer agents or tools. links are the symbolic links of the tree with
// their targets. The target of a steering link steers too, and so does a link to a steering file or directory.
func Paths(changed []string, links map[string]string) []string {
	left := maxLooked
	exact, folded := newLinked(links, &left), linked{}
	if len(links) > 0 {
		plain := map[string]string{}
		for link, target := range links {
			plain[plainName(link)] = plainName(target)
		}
		folded = newLinked(plain, &left)
	}
	var found []string
	for _, name := range changed {
		if left -= len(name); left < 0 || steers(name) || exact.steers(name) || folded.steers(plainName(name)) {
			found = append(found, name)
		}
	}
	slices.Sort(found)
	return found
}

// linked are the symbolic links of a tree, and the targets of its steering links.
type linked struct {
	links  map[string]string
	places map[string]bool
	left   *int // bytes of paths that may still be read
}

// newLinked finds the targets of steering links. It leaves out a link that leads through more than maxHops links.
func newLinked(links map[string]string, left *int) linked {
	l := linked{links, map[string]bool{}, left}
	open := slices.Sorted(maps.Keys(links))
	for range maxHops {
		var rest []string
		for _, link := range open {
			if *left -= len(link); *left < 0 {
				return l
			}
			if !steers(link) && !l.inside(link) {
				rest = append(rest, link)
			} else if where, ok := l.resolve(link); ok {
				l.places[where] = true
			}
		}
		if len(rest) == len(open) {
			break
		}
		open = rest
	}
	return l
}

// steers reports whether a path steers because of links: it is the target of a steering link or below it, or its own
// links lead to such a target or to a steering name.
func (l linked) steers(name string) bool {
	if len(l.links) == 0 {
		return false
	}
	where, ok := l.resolve(name)
	return l.inside(name) || ok && (steers(where) || l.inside(where))
}

// inside reports whether a path is in l.places or below one of them.
func (l linked) inside(name string) bool {
	for ; ; name = path.Dir(name) {
		if *l.left -= len(name); l.places[name] || *l.left < 0 {
			return true
		}
		if name == "." || name == "/" {
			return false
		}
	}
}

// resolve follows the symbolic links in a path. It returns false if they lead out of the tree.
func (l linked) resolve(name string) (string, bool) {
	at, rest := ".", strings.Split(name, "/")
	for hops := 0; len(rest) > 0 && *l.left >= 0; {
		*l.left -= len(at)
		if at, rest = path.Join(at, rest[0]), rest[1:]; at == ".." || strings.HasPrefix(at, "../") {
			return "", false
		}
		target, link := l.links[at]
		if !link {
			continue
		}
		if hops++; hops > maxHops || target == "" || strings.HasPrefix(target, "/") || len(target) > git.MaxLink {
			return "", false
		}
		at, rest = path.Dir(at), append(strings.Split(target, "/"), rest...)
	}
	return at, true
}

// Between returns the steering files in which two commits of the clone at dir differ.
func Between(ctx context.Context, dir, from, to string) ([]string, error) {
	r, err := git.Open(dir)
	if err != nil {
		return nil, err
	}
	all, err := r.Changes(ctx, from, to)
	if err != nil {
		return nil, err
	}
	links, err := new(git.LinkCache).After(ctx, r, from, all)
	return Paths(slices.Collect(maps.Keys(all)), links), err
}
