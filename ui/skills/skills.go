// Package skills holds what ocaptain teaches a coding agent, as skills of Claude Code: how to make
// a plan, and how to work with a fleet. It installs them for Claude Code.
package skills

import (
	"embed"
	"fmt"
	"slices"
	"strings"
)

//go:embed */SKILL.md
var files embed.FS

// Skill is one of ocaptain's skills.
type Skill struct {
	Name  string
	About string // what it is for, for agents
	Text  string // SKILL.md
}

// Plan is the name of the skill for making a plan.
const Plan = "voyage-plan"

// All returns the skills by name.
func All() []Skill {
	entries, err := files.ReadDir(".")
	if err != nil {
		panic(err) // the file is embedded
	}
	var all []Skill
	for _, e := range entries {
		raw, err := files.ReadFile(e.Name() + "/SKILL.md")
		if err != nil {
			panic(err)
		}
		s := Skill{Name: e.Name(), Text: string(raw)}
		for line := range strings.Lines(s.frontMatter()) {
			if about, ok := strings.CutPrefix(line, "description: "); ok {
				s.About = strings.TrimSpace(about)
			}
		}
		all = append(all, s)
	}
	return all
}

// Find returns the skill with that name.
func Find(name string) (Skill, error) {
	all := All()
	i := slices.IndexFunc(all, func(s Skill) bool { return s.Name == name })
	if i < 0 {
		var names []string
		for _, s := range all {
			names = append(names, s.Name)
		}
		return Skill{}, fmt.Errorf("there is no skill %q: choose one of %s", name, strings.Join(names, ", "))
	}
	return all[i], nil
}

// frontMatter returns the text between the first two lines of dashes.
func (s Skill) frontMatter() string {
	_, rest, _ := strings.Cut(s.Text, "---\n")
	head, _, _ := strings.Cut(rest, "---\n")
	return head
}

// Body returns the skill without its front matter, for an agent's prompt.
func (s Skill) Body() string {
	_, body, _ := strings.Cut(strings.TrimPrefix(s.Text, "---\n"), "\n---\n")
	return strings.TrimSpace(body) + "\n"
}
