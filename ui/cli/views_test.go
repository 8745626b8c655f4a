package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	"ocaptain/fleet/need"

	"github.com/charmbracelet/x/ansi"

	"ocaptain/fleet"
	"ocaptain/sync"
	"ocaptain/tasks"
)

const testVoyage = "voyage-0a1b2c3d4e5f"

// loadTest returns the voyage in testdata.
func loadTest(t *testing.T, b *bridge) (fleet.Dir, fleet.Board) {
	t.Helper()
	d, err := b.voyage("0a1b")
	if err != nil {
		t.Fatal(err)
	}
	board, err := fleet.ReadBoard(d)
	if err != nil {
		t.Fatal(err)
	}
	return d, board
}

// checkLines fails when a line is too wide or contains bytes that no terminal should get.
func checkLines(t *testing.T, text string, width int) {
	t.Helper()
	for line := range strings.SplitSeq(ansi.Strip(text), "\n") {
		if strings.HasPrefix(ansi.Strip(line), "  → ") {
			continue // a command must not be wrapped
		}
		if w := ansi.StringWidth(line); w > width {
			t.Errorf("%d cells wide: %s", w, line)
		}
		if strings.ContainsFunc(line, unicode.IsControl) {
			t.Errorf("control character in %q", line)
		}
	}
}

// asView returns the view of a board.
func asView(b *bridge, board fleet.Board) view {
	v := view{Board: board}
	v.judge(b.now(), need.Away{})
	return v
}

// TestLongGoal shows the beginning of a goal of the largest length.
func TestLongGoal(t *testing.T) {
	b, _ := testBridge(t, 0)
	_, board := loadTest(t, b)
	board.Voyage.Prompt = strings.Repeat("kites\n", tasks.MaxCommand/6)
	var out bytes.Buffer
	writeStatus(&out, asView(b, board), b.now(), 0)
	for line := range strings.Lines(ansi.Strip(out.String())) {
		if strings.HasPrefix(line, "goal") && (len(line) > 300 || !strings.HasSuffix(line, "…\n")) {
			t.Errorf("%d bytes: %q", len(line), line)
		}
	}
}

func TestStatusView(t *testing.T) {
	for _, width := range []int{60, 80, 120} {
		b, _ := testBridge(t, width)
		_, board := loadTest(t, b)
		var out bytes.Buffer
		writeStatus(&out, asView(b, board), b.now(), width)
		checkLines(t, out.String(), width)
		if width > 60 {
			golden(t, fmt.Sprintf("status-%d.txt", width), ansi.Strip(out.String()))
		}
	}
}

// The status of a ship that costs money shows its age at any width, and the ship's needs.
func TestCostlyStatus(t *testing.T) {
	for _, width := range []int{60, 80} {
		b, _ := testBridge(t, width)
		_, board := loadTest(t, b)
		board.Ships[0].Costs, board.Ships[0].Guard, board.Guard = true, "older than 1h", "the voyage is older than 1h and has ships out"
		board.Bill = fleet.Bill{Hour: 0.2, SoFar: 0.5}
		var out bytes.Buffer
		writeStatus(&out, asView(b, board), b.now(), width)
		checkLines(t, out.String(), width)
		golden(t, fmt.Sprintf("status-costly-%d.txt", width), ansi.Strip(out.String()))
	}
}

// Work that waits for the captain's approval is shown with the command that approves it.
func TestSteeringStatus(t *testing.T) {
	b, _ := testBridge(t, 120)
	_, board := loadTest(t, b)
	board.Steering = []fleet.Steering{
		{Steering: sync.Steering{Paths: []string{".mcp.json"}}, Task: "1", Word: fleet.Flagged},
		{Steering: sync.Steering{Paths: []string{"CLAUDE.md", "evil\x1b[2J"}}, Task: "3", Word: fleet.Waits},
	}
	var out bytes.Buffer
	writeStatus(&out, asView(b, board), b.now(), 0)
	text := ansi.Strip(out.String())
	if want := "it changes files that steer agents: CLAUDE.md, evil"; !strings.Contains(text, want) || !strings.Contains(text, "→ ocaptain approve 3 --voyage "+board.Voyage.ID) ||
		strings.Contains(text, ".mcp.json") || strings.Contains(out.String(), "\x1b[2J") {
		t.Errorf("status is %q", out.String())
	}
}

func TestTasksView(t *testing.T) {
	for _, width := range []int{80, 120} {
		b, _ := testBridge(t, width)
		_, board := loadTest(t, b)
		var out bytes.Buffer
		writeTasks(&out, &fleet.Voyage{}, board.Tasks, blockers(board.Tasks), b.now(), width)
		checkLines(t, out.String(), width)
		golden(t, fmt.Sprintf("tasks-%d.txt", width), ansi.Strip(out.String()))
	}
}

func TestTaskFilter(t *testing.T) {
	b, _ := testBridge(t, 80)
	_, board := loadTest(t, b)
	for filter, want := range map[string]string{
		"":            "1 2 3 4 5 6 7 10",
		"pending":     "5 6 7 10",
		"ready":       "7",
		"blocked":     "5 6 10",
		"in_progress": "3 4",
		"completed":   "1 2",
	} {
		var ids []string
		for _, s := range filterTasks(board.Tasks, filter, b.now()) {
			ids = append(ids, s.ID)
		}
		if got := strings.Join(ids, " "); got != want {
			t.Errorf("%q: %s, want %s", filter, got, want)
		}
	}
}

func TestVoyagesList(t *testing.T) {
	b, out := testBridge(t, 80)
	_, board := loadTest(t, b)
	b.writeVoyages([]view{{Board: board}})
	golden(t, "voyages-80.txt", out.String())
}

// The JSON equals what the files hold, and contains no control sequence.
func TestBoardJSON(t *testing.T) {
	b, out := testBridge(t, 80)
	_, board := loadTest(t, b)
	board.Ships[0].Status.Reason = "c1 \u009b2J, del \x7f, right to left \u202e"
	if err := printJSON(out, board); err != nil {
		t.Fatal(err)
	}
	if i := strings.IndexFunc(out.String(), func(r rune) bool { return r != '\n' && unicode.IsControl(r) || r == '\u202e' }); i >= 0 {
		t.Errorf("control character at %d", i)
	}
	var again fleet.Board
	if err := json.Unmarshal(out.Bytes(), &again); err != nil {
		t.Fatal(err)
	}
	if again.Ships[0].Status.Reason != board.Ships[0].Status.Reason || len(again.Tasks) != len(board.Tasks) || again.Tasks[0].Commit == "" {
		t.Errorf("got %+v", again)
	}
}

// A voyage without a board from helm shows what is known, and the rest as unknown.
func TestBoardBeforeTheFirst(t *testing.T) {
	b, out := testBridge(t, 80)
	b.hub.Voyages = t.TempDir()
	d := fleet.Dir(b.hub.Voyages + "/" + testVoyage)
	v := fleet.Voyage{ID: testVoyage, Branch: testVoyage, CreatedAt: present}
	mustMkdir(t, string(d))
	if err := v.Save(d); err != nil {
		t.Fatal(err)
	}
	f := fleet.Fleet{Phase: fleet.Fitting, Ships: []*fleet.Ship{{Name: "ship-0"}}}
	if err := f.Save(d); err != nil {
		t.Fatal(err)
	}
	board, err := fleet.ReadBoard(d)
	if err != nil {
		t.Fatal(err)
	}
	writeStatus(b.out, asView(b, board), b.now(), 80)
	for _, want := range []string{"provisioning", "? unknown", "a fresh repository"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("lacks %q:\n%s", want, out)
		}
	}
}

func TestNews(t *testing.T) {
	was := fleet.Board{Phase: fleet.Sailing, Tasks: []tasks.State{
		{Task: tasks.Task{ID: "1", Status: tasks.Pending}},
		{Task: tasks.Task{ID: "2", Status: tasks.InProgress, Owner: "ship-0"}},
		{Task: tasks.Task{ID: "3", Status: tasks.InProgress, Owner: "ship-1"}},
		{Task: tasks.Task{ID: "4", Status: tasks.InProgress, Owner: "ship-2"}},
	}}
	is := fleet.Board{Phase: fleet.Verifying, Tasks: []tasks.State{
		{Task: tasks.Task{ID: "1", Subject: "one", Status: tasks.InProgress, Owner: "ship-1"}},
		{Task: tasks.Task{ID: "2", Subject: "two", Status: tasks.Completed, Owner: "ship-0"}},
		{Task: tasks.Task{ID: "3", Subject: "three", Status: tasks.Pending}, Reason: "lost"},
		{Task: tasks.Task{ID: "4", Subject: "four", Status: tasks.Pending}, OnHold: true, Reason: "ship-2: exit 3"},
	}}
	if got := taskCounts(is, present); got != "1 completed, 1 in progress, 1 ready, 0 blocked, 1 on hold: 4" {
		t.Errorf("counted %q", got)
	}
	got := ansi.Strip(strings.Join(boardChanges(was, is), "\n"))
	want := "◌ ship-1 claims     1 one\n✓ ship-0 completes  2 two (1/4)\n! task 3 is pending again: lost\n▲ task 4 is on hold: ship-2: exit 3\n◐ verifying"
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if again := boardChanges(is, is); len(again) > 0 {
		t.Errorf("news without any: %v", slices.Clone(again))
	}
}

// loadReview returns the voyage in testdata with work in review: 3 is approved, 4 is being reviewed, 7 waits, 5 came back and 6
// waits for a time.
func loadReview(t *testing.T, b *bridge) fleet.Board {
	t.Helper()
	_, board := loadTest(t, b)
	at := func(id string) *tasks.State {
		return &board.Tasks[slices.IndexFunc(board.Tasks, func(t tasks.State) bool { return t.ID == id })]
	}
	for n, id := range []string{"7", "4", "3"} {
		is := at(id)
		is.Status, is.Owner = tasks.Pending, ""
		is.HandIn = &tasks.HandIn{Owner: "worker-1", Epoch: 1, Commit: "0123456789", At: present.Add(-time.Duration(n*n+1) * time.Minute), Summary: "done\x1b[2J"}
		if n > 0 {
			is.HandIn.Checked, is.HandIn.Passed = "89abcdef", true
		}
	}
	at("4").Status, at("4").Owner = tasks.InProgress, "validator-0"
	at("3").HandIn.Review = &tasks.Review{Approved: true, By: "validator-1\x1b[2J", Reasoning: "good"}
	back, delayed := at("5"), at("6")
	back.Draft, back.ReservedFor, back.BlockedBy, back.Rejections = "0123456789", "worker-2", nil, 1
	delayed.BlockedBy, delayed.NotBefore, delayed.RequeuedAt = nil, present.Add(time.Hour), present
	return board
}

// TestReviewViews shows the tasks in review in the list of tasks, in the status and in the filters.
func TestReviewViews(t *testing.T) {
	for _, width := range []int{60, 80, 120} {
		b, _ := testBridge(t, width)
		board := loadReview(t, b)
		var list, status bytes.Buffer
		writeTasks(&list, &fleet.Voyage{}, board.Tasks, blockers(board.Tasks), b.now(), width)
		writeStatus(&status, asView(b, board), b.now(), width)
		checkLines(t, list.String(), width)
		checkLines(t, status.String(), width)
		if width > 60 {
			golden(t, fmt.Sprintf("tasks-review-%d.txt", width), ansi.Strip(list.String()))
		}
		golden(t, fmt.Sprintf("status-review-%d.txt", width), ansi.Strip(status.String()))
	}
	b, _ := testBridge(t, 80)
	board := loadReview(t, b)
	for filter, want := range map[string]string{"pending": "5 6 10", "ready": "5", "delayed": "6", "in_review": "3 4 7", "in_progress": ""} {
		var ids []string
		for _, s := range filterTasks(board.Tasks, filter, b.now()) {
			ids = append(ids, s.ID)
		}
		if got := strings.Join(ids, " "); got != want {
			t.Errorf("%q: %s, want %s", filter, got, want)
		}
	}
}

// TestReviewJSON has fields for tasks in review.
func TestReviewJSON(t *testing.T) {
	b, out := testBridge(t, 80)
	board := loadReview(t, b)
	if err := printJSON(out, asView(b, board)); err != nil {
		t.Fatal(err)
	}
	var status struct {
		MergeQueue []struct {
			Task, Owner, Commit, Step, Reviewer string
			HandedIn                            time.Time
			Checked, Passed                     bool
		}
	}
	if err := json.Unmarshal(out.Bytes(), &status); err != nil {
		t.Fatal(err)
	}
	queue := ""
	for _, q := range status.MergeQueue {
		queue += fmt.Sprintln(q.Task, q.Owner, q.Commit, q.Step, q.Checked, q.Passed, q.HandedIn.Format("15:04"), q.Reviewer)
	}
	if want := "3 worker-1 0123456789 merging true true 11:07 validator-1\n4 worker-1 0123456789 reviewing true true 11:10 validator-0\n7 worker-1 0123456789 waits false false 11:11 \n"; ansi.Strip(queue) != want {
		t.Errorf("the queue is\n%s", queue)
	}
	out.Reset()
	if err := printJSON(out, judged(&fleet.Voyage{}, board.Tasks, blockers(board.Tasks), b.now())); err != nil {
		t.Fatal(err)
	}
	var list []struct {
		ID       string
		Standing struct {
			Is, Step, Reviewer string
			Back               bool
		}
	}
	if err := json.Unmarshal(out.Bytes(), &list); err != nil {
		t.Fatal(err)
	}
	got := ""
	for _, one := range list {
		got += fmt.Sprintln(one.ID, one.Standing.Is, one.Standing.Step, one.Standing.Back)
	}
	want := "1 completed  false\n2 completed  false\n3 in review merging false\n4 in review reviewing false\n5 ready  true\n6 delayed  false\n7 in review waits false\n10 blocked  false\n"
	if got != want {
		t.Errorf("the tasks are\n%s", got)
	}
}
