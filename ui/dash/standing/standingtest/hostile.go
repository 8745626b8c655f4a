package standingtest

import (
	"strings"

	"ocaptain/fleet"
	"ocaptain/tasks"
)

// Evil lists hostile texts.
var Evil = []string{
	"\x1b]0;owned\x07\x1b[2J\x1b[31mred", "\u009b31mc1", "\x9bbyte", "a\rb\bc\x7f", "\u202etxt.exe\u2066", "👩‍👩‍👧‍👦 family", "日本語の件名がとても長いときにどう切られるか",
	"é́́́́", "\ufe0f⚠️ warning", "tab\tand\nlines\n\n", "\xff\xfe\xfd", strings.Repeat("\x1b[1m", 500) + "x", strings.Repeat("語", 100_000), strings.Repeat("x", 1<<20),
	"\x1bP\x1b[A", "\u2028\u2029", "", "   ", "العربية",
}

// Haunted returns a board whose every text is that one.
func Haunted(text string) *fleet.Board {
	b := Harbour()
	b.Ships = append(b.Ships, Ship(text, fleet.Waiting, text), Ship(text, fleet.Word(text), text))
	for i := range b.Tasks {
		t := &b.Tasks[i]
		t.Subject, t.Description, t.ActiveForm, t.Reason = text, text, text, text
		t.Metadata = map[string]any{"run": text, "verify": text, "group": text, text: text, "x": []any{text}}
		t.ReservedFor = text
		if t.Status != tasks.Pending {
			t.Owner, t.Commit = text, text
		}
		t.BlockedBy = append(t.BlockedBy, text)
	}
	b.Tasks = append(b.Tasks, Task(text+"!", text, tasks.Pending, "1", text))
	return b
}
