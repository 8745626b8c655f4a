package cli

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"ocaptain/fleet"
	"ocaptain/fleet/clean"
	"ocaptain/fleet/provider/registry"
	"ocaptain/sync/gitflow/origin"
	"ocaptain/tasks"
	"ocaptain/theme"
	"ocaptain/ui/cli/config"
	"ocaptain/ui/launch"
	"ocaptain/ui/words"
)

// demoEpic is the epic of the session demonstration, with the command for a planner that has no model. Two of the tasks write the
// same file at the same time, the check of one fails at first, and the validator rejects the first try of another.
const demoEpic = `# Open a shop for kites
ocaptain task plan - <<'END'
{"tasks": [
  {"id": "A", "title": "Create the schema", "labels": ["db"], "run": "sleep 1; echo 'kite(name, price)' >schema"},
  {"id": "B", "title": "List what is sold", "depends_on": ["A"], "group": "pages", "run": "sleep 1; sed 's/^/list of /' schema >>pages"},
  {"id": "C", "title": "Show one kite", "depends_on": ["A"], "run": "sleep 1; sed 's/^/page of /' schema >>pages"},
  {"id": "D", "title": "Take an order", "depends_on": ["A"], "run": "sleep 1; date +%N >order; test ! -e ~/once || echo total >>order; touch ~/once", "verify": "grep total order", "acceptance": "an order has a total"},
  {"title": "Describe the shop", "depends_on": ["B", "C", "Take an order"], "type": "chore",
   "run": "cat pages order >README.md; test ! -e ~/told || echo 'We open at nine.' >>README.md; touch ~/told",
   "review": "grep open README.md || { echo 'README.md does not say when the shop opens'; exit 1; }"}
]}
END`

// demonstrateSession gives a session an epic, and waits until its work is on the branch.
func (b *bridge) demonstrateSession(ctx context.Context, c config.Config, home string) error {
	repo := filepath.Join(home, "kite")
	if _, err := origin.Prepare(ctx, repo, "", "main", origin.Options{}); err != nil {
		return err
	}
	o, err := b.launchYard().CheckSession(ctx, launch.Wish{Repo: repo, Agent: "script", Provider: registry.Here().Name, Unconfined: true, NoBring: true},
		launch.Session{Text: demoEpic, Priority: 2, Workers: 3, Validators: 1, Branch: "feat/shop", Verify: "test -s README.md"})
	if err != nil {
		return err
	}
	d, err := b.startVoyage(ctx, o)
	if err != nil {
		return err
	}
	board, err := b.seeItEnd(ctx, c, d)
	if err != nil {
		return err
	}
	return b.printSession(d, board)
}

// printSession prints the result of a session, and returns an error unless everything went as it must.
func (b *bridge) printSession(d fleet.Dir, board fleet.Board) error {
	var wrong []error
	conflicts, rejections := 0, 0
	for _, s := range board.Ships {
		conflicts += s.Conflicts
	}
	for i := range board.Tasks {
		t := &board.Tasks[i]
		rejections += t.Rejections
		if t.Type() != tasks.Epic && (t.HandIn == nil || t.HandIn.Review == nil) {
			wrong = append(wrong, fmt.Errorf("task %s is merged without a review", clean.Line(t.ID)))
		}
		if byHelm := t.Owner == fleet.Coordinator; t.Status != tasks.Completed || byHelm != (t.Type() == tasks.Epic) || byHelm != (t.Commit == "") {
			wrong = append(wrong, fmt.Errorf("task %s is %s, by %s", clean.Line(t.ID), t.Status, clean.Line(t.Owner)))
		}
	}
	fmt.Fprintf(b.out, "\n%s, %s; the work is on branch %s of %s\nverify %s\n", words.Counted(conflicts, "conflict"), words.Counted(rejections, "rejection"), clean.Line(board.Voyage.Branch), d.Workspace(), verifyWord(board, b.now()))
	if rejections == 0 {
		wrong = append(wrong, errors.New("nothing was rejected"))
	}
	if board.Phase != fleet.Complete {
		wrong = append(wrong, fmt.Errorf("the session ended as %s", board.Phase))
	}
	if len(wrong) > 0 {
		return errors.Join(wrong...)
	}
	fmt.Fprintln(b.out, theme.Good.Render("What was asked for was broken down, done by workers at the same time, reviewed, and verified on one branch."))
	return nil
}
