package skills

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"ocaptain/sync/whole"
)

// State says how a skill stands in a directory.
type State string

// The states.
const (
	Absent  State = "not installed"
	Current State = "installed"
	Other   State = "from another version of ocaptain" // as that one wrote it
	Changed State = "changed"                          // by somebody else than ocaptain
)

// Place is a directory in which Claude Code looks for skills.
type Place string

// UserPlace is where Claude Code finds the skills of a user in all projects; config is
// CLAUDE_CONFIG_DIR, or "".
func UserPlace(home, config string) Place {
	if config == "" {
		config = filepath.Join(home, ".claude")
	}
	return Place(filepath.Join(config, "skills"))
}

// Project is where Claude Code finds the skills of the project in dir.
func Project(dir string) Place { return Place(filepath.Join(dir, ".claude", "skills")) }

// Path is the file of a skill.
func (p Place) Path(s Skill) string { return filepath.Join(string(p), s.Name, "SKILL.md") }

// ErrChanged says that a file is not as ocaptain wrote it.
var ErrChanged = errors.New("was changed, so it stays as it is")

// seal ends an installed file and tells what ocaptain wrote above it.
const seal = "\n<!-- written by ocaptain; to keep changes, remove this line. content: "

func sealed(text string) string { return text + seal + digest(text) + " -->\n" }

func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:8])
}

// maxSkill bounds what is read of a file that may be anybody's.
const maxSkill = 1 << 20

// StateOf looks at the file of a skill.
func (p Place) StateOf(s Skill) (State, error) {
	info, err := os.Stat(p.Path(s))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return Absent, nil
	case err != nil:
		return "", fmt.Errorf("skill %s: %w", s.Name, err)
	case !info.Mode().IsRegular() || info.Size() > maxSkill:
		return Changed, nil
	}
	raw, err := os.ReadFile(p.Path(s))
	if err != nil {
		return "", fmt.Errorf("skill %s: %w", s.Name, err)
	}
	text := string(raw)
	if text == sealed(s.Text) {
		return Current, nil
	}
	if i := strings.LastIndex(text, seal); i >= 0 && text == sealed(text[:i]) {
		return Other, nil
	}
	return Changed, nil
}

// Install writes the file of a skill and tells how it was before. One that somebody changed
// is overwritten only by force; else the error is ErrChanged.
func (p Place) Install(s Skill, force bool) (State, error) {
	was, err := p.StateOf(s)
	switch {
	case err != nil:
		return was, err
	case was == Current:
		return was, nil
	case was == Changed && !force:
		return was, fmt.Errorf("%s %w", p.Path(s), ErrChanged)
	}
	if err := os.MkdirAll(filepath.Dir(p.Path(s)), 0o755); err != nil {
		return was, fmt.Errorf("skill %s: %w", s.Name, err)
	}
	if err := whole.Write(p.Path(s), []byte(sealed(s.Text)), 0o644); err != nil {
		return was, fmt.Errorf("skill %s: %w", s.Name, err)
	}
	return was, nil
}

// Remove takes the file of a skill away and tells how it was before. One that somebody
// changed goes only by force; else the error is ErrChanged. Other files stay.
func (p Place) Remove(s Skill, force bool) (State, error) {
	was, err := p.StateOf(s)
	switch {
	case err != nil || was == Absent:
		return was, err
	case was == Changed && !force:
		return was, fmt.Errorf("%s %w", p.Path(s), ErrChanged)
	}
	if err := os.Remove(p.Path(s)); err != nil {
		return was, fmt.Errorf("skill %s: %w", s.Name, err)
	}
	_ = os.Remove(filepath.Dir(p.Path(s))) // unless something else is in it
	return was, nil
}
