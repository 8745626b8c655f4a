package standingtest

import (
	"fmt"
	"time"

	"ocaptain/fleet"
	"ocaptain/ui/changes"
	"ocaptain/ui/dash/taskstory"
)

// Told returns Harbour with longer texts for tasks 3 and 10.
func Told() *fleet.Board {
	b := Harbour()
	t := &b.Tasks[2]
	t.Description = "Requests carry a bearer token. Check it in one middleware, before any handler runs.\n\n- reject what is expired\n- reject another audience\n\nThe keys come from the keyring of task 2."
	t.Metadata = map[string]any{"run": "make jwt", "verify": "go test ./auth/...", "priority": 1.0, "group": "auth", "estimate": 25.0, "reviewer": "nobody yet"}
	t.Epoch, t.Attempts, t.Reason = 3, 2, "ship-1: out of credits"
	return b
}

// Loaded returns the loaded detail of task 3.
func Loaded() taskstory.DetailData {
	at := func(m int) time.Time { return Ago(time.Duration(m) * time.Minute) }
	lines := []changes.Line{
		{Kind: changes.Head, Text: "diff --git a/auth/jwt.go b/auth/jwt.go"},
		{Kind: changes.Meta, Text: "index 1111111..2222222 100644"},
		{Kind: changes.Meta, Text: "--- a/auth/jwt.go"},
		{Kind: changes.Meta, Text: "+++ b/auth/jwt.go"},
		{Kind: changes.Hunk, Text: "@@ -1,3 +1,4 @@ package auth"},
		{Kind: changes.Context, Text: " func Check(token string) error {"},
		{Kind: changes.Removed, Text: "-    return nil"},
		{Kind: changes.Added, Text: "+    claims, err := parse(token)"},
		{Kind: changes.Added, Text: "+    return errors.Join(err, claims.valid())"},
		{Kind: changes.Context, Text: " }"},
		{Kind: changes.Head, Text: "diff --git a/auth/jwt_test.go b/auth/jwt_test.go"},
		{Kind: changes.Meta, Text: "new file mode 100644"},
		{Kind: changes.Hunk, Text: "@@ -0,0 +1,40 @@"},
	}
	for i := range 40 {
		lines = append(lines, changes.Line{Kind: changes.Added, Text: fmt.Sprintf("+// case %d of the table", i+1)})
	}
	return taskstory.DetailData{
		ID: "3",
		History: []taskstory.Event{
			{At: at(70), What: "added", Ship: "", Text: ""},
			{At: at(40), What: "claimed", Ship: "ship-1", Text: "claim 1"},
			{At: at(39), What: "checkout", Ship: "ship-1", Text: "at commit 0badcaf"},
			{At: at(30), What: "conflict", Ship: "ship-1", Text: "auth/jwt.go, auth/keys.go"},
			{At: at(20), What: "requeued", Ship: "ship-1", Text: "ship-1: out of credits"},
			{At: at(4), What: "refused", Ship: "ship-2", Text: "task 3 is reserved for ship-0, which holds its group; claim another one or wait until that ship has completed it"},
			{At: at(3), What: "claimed", Ship: "ship-0", Text: "claim 3"},
		},
		HistoryLeft: 2,
		Commits: []changes.Commit{
			{ID: "2222222aaaa", At: at(2), Subject: "Check tokens in one place", Author: "ship-0"},
		},
		Patch: changes.Patch{
			Title: "ship-0, not merged yet", Lines: lines, Added: 42, Removed: 1,
			Files: []changes.Place{
				{File: changes.File{Path: "auth/jwt.go", Added: 2, Removed: 1}, Line: 0},
				{File: changes.File{Path: "auth/jwt_test.go", Added: 40}, Line: 10},
				{File: changes.File{Path: "auth/testdata/key.der", Added: -1, Removed: -1}, Line: -1},
			},
			Left: "the rest is left out: 3 changed lines and 1 whole file; ocaptain diff shows all of it",
		},
	}
}
