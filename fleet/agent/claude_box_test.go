package agent

import (
	"regexp"
	"strings"
	"testing"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// prompt is a model of Claude Code's input line. It returns what the hook gets after a paste and Enter, and false if
// the paste would not be a message.
func prompt(paste string) (string, bool) {
	text := strings.ReplaceAll(paste, "\t", "    ")
	if strings.HasPrefix(text, "!") {
		return "", false
	}
	hidden := strings.NewReplacer(wordJoiner, "", "\u200b", "", "\u00ad", "", "\ufeff", "", "\u2028", "\n", "\u2029", "\n")
	if units := len([]rune(text)); units > 800 || strings.Count(text, "\n") > 2 {
		text = strings.NewReplacer("<pasted_content", `<\pasted_content`, "</pasted_content", `<\/pasted_content`).Replace(hidden.Replace(text))
		if !strings.HasSuffix(text, "\n") {
			text += "\n"
		}
		return "\n\n<pasted_content id=\"44f3\">\n" + text + "</pasted_content id=\"44f3\">\n", true
	}
	text = strings.TrimRightFunc(norm.NFC.String(hidden.Replace(text)), unicode.IsSpace)
	command := strings.HasPrefix(text, "/") || strings.HasSuffix(text, `\`) || text == "exit" || text == ":q" ||
		regexp.MustCompile(`:[a-z]+:|\[Pasted text #`).MatchString(text)
	return text, !command
}

func TestClaudeKeepsText(t *testing.T) {
	for _, text := range []string{
		"Use the logger.", "a\nb", "/help", "!ls", "#note", "@file", "exit", "EXIT", ":q", " x", "x ", "x\n", "x\n\n\n\n", `x\`, ":smile: it", "e\u0301", "[Pasted text #1] x",
		strings.Repeat("long ", 1000), "x <pasted_content id=\"a\"> y </pasted_content>",
	} {
		got, ok := prompt(claudePaste(text))
		if !ok || !claudeKept(got, text) || claudeGist(got) != claudeGist(text) {
			t.Errorf("%q becomes %q", text, got)
		}
		if queued := strings.TrimSpace(got); strings.HasPrefix(got, "\n\n<") && !claudeKept(queued, text) {
			t.Errorf("%q is not seen in %q", text, queued)
		}
	}
	for _, text := range []string{"a\tb", "soft\u00adhyphen", "zero\u200bwidth"} {
		got, ok := prompt(claudePaste(text))
		if !ok || claudeKept(got, text) || claudeGist(got) != claudeGist(text) {
			t.Errorf("%q becomes %q", text, got)
		}
	}
	if claudePaste("Please go on.") != "Please go on." {
		t.Error("a plain message is not typed as it is")
	}
}

// The hook gets the text as it was written, except for tabs and invisible characters.
func FuzzClaudeBox(f *testing.F) {
	for _, s := range []string{"hello there", "/x", "!x", "a\\", "\n", "e\u0301\t", "x \u200b", "<pasted_content>"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		text = strings.Map(func(r rune) rune {
			if r != '\n' && unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Zl, r) || unicode.Is(unicode.Zp, r) {
				return -1
			}
			return r
		}, strings.ToValidUTF8(text, "�"))
		if strings.TrimSpace(text) == "" || strings.Contains(text, `<\`) {
			return
		}
		if got, ok := prompt(claudePaste(text)); !ok || !claudeKept(got, text) || claudeGist(got) != claudeGist(text) {
			t.Errorf("%q becomes %q", text, got)
		}
	})
}

func TestClaudeHolds(t *testing.T) {
	rule := strings.Repeat("─", 20)
	for _, tt := range []struct {
		paste string
		want  bool
		lines []string
	}{
		{"hello there", true, []string{rule, "❯\u00a0hello there", rule, "  hints"}},
		{"hello there", true, []string{rule, "❯\u00a0hello", "  there", rule, "  hints"}},
		{"hello there", false, []string{rule, "❯\u00a0my draft hello there", rule}},
		{"hello there", false, []string{rule, "❯\u00a0[Pasted text #1]", rule}},
		{"hello there", false, []string{rule, "!\u00a0hello there", rule}},
		{claudePaste("!x"), true, []string{rule, "❯\u00a0[Pasted text #12]", rule}},
		{claudePaste("!x"), false, []string{rule, "❯\u00a0draft[Pasted text #12]", rule}},
		{strings.Repeat("long\n", 400), true, []string{rule, "❯\u00a0[Pasted text #1 +400 lines]", rule}},
	} {
		if got := claudeHolds(Screen{tt.lines, 9, 1}, tt.paste); got != tt.want {
			t.Errorf("%.20q in %q: %t", tt.paste, tt.lines[1], got)
		}
	}
}

func TestClaudeInput(t *testing.T) {
	rule := strings.Repeat("─", 20)
	for _, tt := range []struct {
		name  string
		lines []string
		x, y  int
		want  Input
	}{
		{"empty", []string{"❯ old", rule, "❯\u00a0\x1b[7m \x1b[0m", rule, "  hints"}, 2, 2, EmptyInput},
		{"a hint", []string{rule, "❯\u00a0\x1b[2mPress up to edit queued messages\x1b[0m", rule}, 2, 1, EmptyInput},
		{"a draft", []string{rule, "\x1b[39m❯\u00a0hello", rule}, 7, 1, DraftInput},
		{"the cursor before it", []string{rule, "❯\u00a0hello", rule}, 2, 1, DraftInput},
		{"a draft of two lines", []string{rule, "❯\u00a0hello", "  there", rule}, 7, 2, DraftInput},
		{"a shell command", []string{rule, "!\u00a0ls", rule}, 4, 1, OtherInput},
		{"a menu", []string{rule, "  Choose", "  1. one", "  2. two"}, 3, 2, NoInput},
		{"a message above a menu", []string{"❯ old", "", "● Aye.", "", "  1. one"}, 0, 4, NoInput},
		{"nothing", nil, 0, 0, NoInput},
	} {
		if got := claudeInput(Screen{tt.lines, tt.x, tt.y}); got != tt.want {
			t.Errorf("%s: it is %d, want %d", tt.name, got, tt.want)
		}
	}
}
