// Package planmake has an agent make a plan: the agent reads a repository and writes a
// draft, what is wrong with the draft is sent back to it, and a draft that can sail becomes
// the plan. The agent works on the captain's machine and may write to the draft alone.
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

// Order is a plan that is to be made.
type Order struct {
	Goal    string // what the captain wants, in their words
	Agent   agent.Agent
	Program string   // path of the agent's binary
	Env     []string // all of its environment
	Model   string   // "" for its own choice
	Source  string   // absolute path of the repository that it reads
	Fresh   bool     // Source is empty: the voyage begins with nothing
	Repo    string   // what voyage.json must say
	Dir     string   // absolute path that the plan shall have, links resolved
	Force   bool     // a plan that is there already makes room
	Tries   int      // how often defects are sent back
}

// Made is what came of an order.
type Made struct {
	Plan    *planfile.Plan
	Defects planfile.Defects // only warnings when all went well
	Draft   string           // where the files are when they did not become the plan, "" when there are none
	Aside   string           // where a plan went that had to make room, "" for none
	Cost    float64          // in US dollars, as the agent tells it
}

// ErrThere says that something is where the plan shall be.
var ErrThere = errors.New("is there already")

// The bounds of one run of the agent.
const (
	turns   = 120
	patient = 30 * time.Minute
)

// Make has the plan made. report is told what the agent does. When ctx ends nothing is
// left; after any other failure the draft stays. A *agent.Failure is why the agent could not work.
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
	if os.Remove(m.Draft) == nil { // nothing was written
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
			m.Cost = max(m.Cost, end.Cost) // it is told for the whole session
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

// checkDraft reads a draft as "plan check" does, and compares what the agent was told to write.
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

// checkPlace makes sure that the plan can get its place.
func (o Order) checkPlace() error {
	info, err := os.Lstat(o.Dir)
	if os.IsNotExist(err) {
		return nil
	}
	if err == nil && !info.IsDir() { // a link leads nowhere, or appeared just now
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

// makeDraftDir makes a directory beside the place of the plan, so that relative paths in the draft
// mean what they will mean in the plan.
func makeDraftDir(dir string) (string, error) {
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return "", fmt.Errorf("plan: %w", err)
	}
	// The agent compares the paths of files with this one, links resolved.
	parent, err := filepath.EvalSymlinks(filepath.Dir(dir))
	if err != nil {
		return "", fmt.Errorf("plan: %w", err)
	}
	for n := 1; ; n++ {
		name := filepath.Join(parent, filepath.Base(dir)+".draft")
		if n > 1 {
			name += fmt.Sprintf("-%d", n) // what an earlier attempt left may have been worked on
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

// publish makes the draft the plan. While the agent worked something may have come to the
// plan's place: it makes room as it would have had to before.
func (o Order) publish(m *Made) error {
	_ = os.Chmod(filepath.Join(m.Draft, "verify.sh"), 0o755)
	if err := o.checkPlace(); err != nil {
		return err
	}
	err := syscall.Rmdir(o.Dir) // one that is empty just goes, and nothing else does
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

// Name makes a short name for a plan from what it is for.
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
