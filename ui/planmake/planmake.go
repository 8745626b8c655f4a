// Package planmake makes a plan with an agent: the agent reads a repository and writes a draft,
// planmake sends back the defects, and a draft that can sail becomes the plan. The agent works on
// the captain's machine and may write only to the draft.
package planmake

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"ocaptain/tasks/planfile"

	"ocaptain/fleet/agent"
	"ocaptain/tasks"
	"ocaptain/ui/words"
)

// Order is a request to make a plan.
type Order struct {
	Goal    string // what the captain wants, in the captain's words
	Agent   agent.Agent
	Program string   // path of the agent's binary
	Env     []string // the agent's whole environment
	Model   string   // "" for the agent's default
	Source  string   // absolute path of the repository that it reads
	Fresh   bool     // Source is empty: the voyage begins with no files
	Repo    string   // the repo in voyage.json
	Dir     string   // absolute path of the plan, links resolved
	Force   bool     // move an existing plan aside
	Tries   int      // how often to send defects back
}

// Made is the result of an order.
type Made struct {
	Plan    *planfile.Plan
	Defects planfile.Defects // only warnings on success
	Draft   string           // the draft's directory if it did not become the plan, "" when there is none
	Aside   string           // where an existing plan was moved, "" for none
	Cost    float64          // in US dollars, as the agent reports it
}

// ErrThere means that the plan's place is taken.
var ErrThere = errors.New("is there already")

// The limits of one run of the agent.
const (
	turns   = 120
	patient = 30 * time.Minute
)

// Make makes the plan. It calls report with what the agent does. When ctx ends, Make removes the
// draft; after any other failure the draft stays. A *agent.Failure says why the agent could not
// work.
func Make(ctx context.Context, o Order, report func(string)) (Made, error) {
	var m Made
	if o.Agent.Headless == nil || o.Agent.Headless.Plan == nil {
		return m, fmt.Errorf("agent %s cannot make plans; claude can", o.Agent.Name)
	}
	if err := o.checkPlace(); err != nil {
		return m, err
	}
	var err error
	if m.Draft, err = makeDraftDir(o.Dir); err != nil {
		return m, err
	}
	made, err := o.runAgent(ctx, &m, report)
	if ctx.Err() != nil {
		err = errors.Join(ctx.Err(), os.RemoveAll(m.Draft))
		m.Draft = ""
		return m, err
	}
	if err == nil && made {
		return m, o.publish(&m)
	}
	if os.Remove(m.Draft) == nil { // the draft was empty
		m.Draft = ""
	}
	return m, err
}

// runAgent runs the agent until its draft can sail, or its tries are used up.
func (o Order) runAgent(ctx context.Context, m *Made, report func(string)) (made bool, err error) {
	session, prompt := "", o.prompt(m.Draft)
	for try := 0; ; try++ {
		end, err := o.run(ctx, m.Draft, &session, prompt, report)
		if end != nil {
			m.Cost = max(m.Cost, end.Cost) // the agent reports it for the whole session
		}
		if err != nil {
			return false, err
		}
		m.Plan, m.Defects = o.checkDraft(m.Draft)
		if len(m.Defects) == 0 {
			return true, nil
		}
		if try >= o.Tries || session == "" {
			return m.Defects.Errors() == 0, nil
		}
		errors := m.Defects.Errors()
		report(fmt.Sprintf("the draft has %s and %s, which are sent back", words.Counted(errors, "error"), words.Counted(len(m.Defects)-errors, "warning")))
		prompt = correction(m.Defects)
	}
}

// checkDraft reads a draft as "plan check" does, and compares it with the order.
func (o Order) checkDraft(draft string) (*planfile.Plan, planfile.Defects) {
	plan, defects := planfile.Open(draft)
	for i := range defects {
		if defects[i].File == draft {
			defects[i].File = "."
		}
	}
	want, err := tasks.ParseRepo(o.Repo)
	if err == nil && plan.Repo.Kind != "" && plan.Repo != want {
		defects = append(defects, planfile.Defect{
			Severity: planfile.Error, File: "voyage.json", Field: "repo",
			Problem: fmt.Sprintf("is %q", plan.Repo), Fix: fmt.Sprintf("write %q", o.Repo),
		})
	}
	return plan, defects
}

// checkPlace returns an error if the plan's place is taken.
func (o Order) checkPlace() error {
	info, err := os.Lstat(o.Dir)
	if os.IsNotExist(err) {
		return nil
	}
	if err == nil && !info.IsDir() { // a broken link, or it appeared just now
		return fmt.Errorf("plan: %s is no directory; name another one", o.Dir)
	}
	entries, err := os.ReadDir(o.Dir)
	if err == nil && len(entries) == 0 {
		return nil
	}
	if err != nil {
		return fmt.Errorf("plan: %w", err)
	}
	if rel, err := filepath.Rel(o.Dir, o.Source); err == nil && filepath.IsLocal(rel) {
		return fmt.Errorf("plan: %s holds the repository; name a directory for the plan alone", o.Dir)
	}
	if _, err := os.Stat(filepath.Join(o.Dir, "voyage.json")); o.Force && err != nil {
		return fmt.Errorf("plan: %s holds something else than a plan; name another directory", o.Dir)
	}
	if !o.Force {
		return fmt.Errorf("%s %w", o.Dir, ErrThere)
	}
	return nil
}

// makeDraftDir makes a directory beside the plan's place, so that relative paths mean the same in
// draft and plan.
func makeDraftDir(dir string) (string, error) {
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return "", fmt.Errorf("plan: %w", err)
	}
	// The agent compares paths of files with this path, links resolved.
	parent, err := filepath.EvalSymlinks(filepath.Dir(dir))
	if err != nil {
		return "", fmt.Errorf("plan: %w", err)
	}
	for n := 1; ; n++ {
		name := filepath.Join(parent, filepath.Base(dir)+".draft")
		if n > 1 {
			name += fmt.Sprintf("-%d", n) // people may have worked on the draft of an earlier attempt
		}
		err := os.Mkdir(name, 0o755)
		if err == nil {
			return name, nil
		}
		if !os.IsExist(err) {
			return "", fmt.Errorf("plan: %w", err)
		}
	}
}

// publish makes the draft the plan. It handles a plan that appeared meanwhile as checkPlace would
// have.
func (o Order) publish(m *Made) error {
	_ = os.Chmod(filepath.Join(m.Draft, "verify.sh"), 0o755)
	if err := o.checkPlace(); err != nil {
		return err
	}
	err := syscall.Rmdir(o.Dir) // removes only an empty directory
	switch {
	case err == nil || errors.Is(err, fs.ErrNotExist):
	case errors.Is(err, fs.ErrExist) && o.Force: // it is not empty
		m.Aside = o.Dir + "." + time.Now().Format("20060102-150405")
		if err := os.Rename(o.Dir, m.Aside); err != nil {
			return fmt.Errorf("plan: %w", err)
		}
	case errors.Is(err, fs.ErrExist):
		return fmt.Errorf("%s %w", o.Dir, ErrThere)
	default:
		return fmt.Errorf("plan: clear %s: %w", o.Dir, err)
	}
	if err := os.Rename(m.Draft, o.Dir); err != nil {
		if m.Aside != "" && os.Rename(m.Aside, o.Dir) == nil {
			m.Aside = ""
		}
		return fmt.Errorf("plan: %w", err)
	}
	m.Draft = ""
	m.Plan, m.Defects = planfile.Open(o.Dir)
	return nil
}

// Name returns a short name for a plan with this goal.
func Name(goal string) string {
	words := strings.FieldsFunc(strings.ToLower(goal), func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < '0' || r > '9')
	})
	name := ""
	for _, w := range words {
		if name != "" && len(name)+1+len(w) > 40 {
			break
		}
		name = strings.TrimPrefix(name+"-"+w, "-")
	}
	if name == "" {
		return "plan"
	}
	return name[:min(len(name), 40)]
}
