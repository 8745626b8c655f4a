package agent

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"ocaptain/tasks/pattern"
)

// claudeBox is the prompt of Claude Code 2.1.329. It changes pastes as follows, as observed:
//
//   - A paste of more than 800 UTF-16 units or two line breaks becomes "[Pasted text #1]".
//     The prompt then carries it in <pasted_content> tags and otherwise as it is.
//   - A shorter one is typed: the white space at its end is lost, it is normalized to NFC,
//     a backslash at its end makes a new line of Enter, "/" begins a command, "!" a shell
//     command, ":smile:" becomes an emoji, "exit" and ":q" end the program.
//   - In both, a tab becomes four spaces and U+0085, U+2028 and U+2029 line breaks, and
//     characters that show nothing (zero-width ones outside of emoji and scripts that need
//     them, directions, soft hyphens, tags) are removed when it is submitted. Nothing keeps
//     those but the editor (ctrl+g), which belongs to the captain.
//
// So if typing would change a text, ocaptain puts invisible characters in front of it, which make it a long paste and
// which the prompt removes.
var claudeBox = &Box{
	Paste:   claudePaste,
	Kept:    claudeKept,
	Gist:    claudeGist,
	Read:    claudeInput,
	Holds:   claudeHolds,
	Stash:   "C-s",
	Stashed: claudeStashed,
	Dismiss: claudeDismiss,
	Cancel:  "Escape",
	Idle:    claudeIdle,
}

// wordJoiner is invisible wherever it stands.
const wordJoiner = "\u2060"

var claudePadding = strings.Repeat(wordJoiner, 801)

func claudePaste(text string) string {
	if claudePlain(text) {
		return text
	}
	return claudePadding + text
}

// claudeTrigger matches characters that the prompt reacts to while they are typed or after that.
var claudeTrigger = pattern.New(`[@#\t]|:[A-Za-z0-9_+-]|\[(Pasted|Image|\.\.\.|✦)`)

// claudePlain reports whether the prompt does not change the text when it is typed.
func claudePlain(text string) bool {
	if text == "" || len(text) > 700 || strings.Count(text, "\n") > 2 || !norm.NFC.IsNormalString(text) || claudeTrigger().MatchString(text) {
		return false
	}
	switch strings.ToLower(text) {
	case "exit", "quit":
		return false
	}
	all := []rune(text)
	last := all[len(all)-1]
	if !unicode.IsLetter(all[0]) && !unicode.IsDigit(all[0]) || unicode.IsSpace(last) || last == '\\' {
		return false
	}
	for _, r := range all {
		if unicode.IsSpace(r) && r != ' ' && r != '\n' {
			return false
		}
	}
	return true
}

// claudePasted matches the tags around pasted text. They are at the ends of the prompt when it waits for the end of a
// turn. Tags in the text itself are escaped with a backslash.
var claudePasted = pattern.New(`^(?:\n\n)?<pasted_content id="[0-9a-f]+">\n((?s).*)</pasted_content id="[0-9a-f]+">\n?$`)

var claudeTags = pattern.New(`<\\?/?pasted_content( id="[^"]*")?>`)

func claudeKept(prompt, text string) bool {
	if prompt == text {
		return true
	}
	m := claudePasted().FindStringSubmatch(prompt)
	if m == nil {
		return false
	}
	if !strings.HasSuffix(text, "\n") { // otherwise this newline belongs to the closing tag
		text += "\n"
	}
	return strings.NewReplacer(`<\pasted_content`, `<pasted_content`, `<\/pasted_content`, `</pasted_content`).Replace(m[1]) == text
}

// claudeGist removes white space, invisible characters and the tags.
func claudeGist(text string) string {
	text = norm.NFC.String(claudeTags().ReplaceAllString(text, ""))
	sum := sha256.Sum256([]byte(strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Zl, r) || unicode.Is(unicode.Zp, r) ||
			unicode.Is(unicode.Variation_Selector, r) || unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r) {
			return -1
		}
		return r
	}, text)))
	return hex.EncodeToString(sum[:])
}

// escapes matches the sequences that colour a captured line.
var escapes = pattern.New("\x1b\\[[0-9;:]*m")

// faint matches the sequence that makes text faint, as a hint in an empty line is.
var faint = pattern.New("\x1b\\[(?:[0-9;:]*;)?2(?:;[0-9;:]*)?m")

// claudeHint matches the hints of an empty line; without colours they are not faint.
var claudeHint = pattern.New(`^(Press up to edit queued messages|Resend your message to try again|Try ")`)

// claudeInput looks for the prompt's sign at the left edge, in the cursor's line or,
// for a draft of several lines, above it. Claude Code keeps the cursor in its input.
func claudeInput(s Screen) Input {
	if s.Y < 0 || s.Y >= len(s.Lines) {
		return NoInput
	}
	for y := s.Y; y >= 0; y-- {
		line := escapes().ReplaceAllString(s.Lines[y], "")
		switch {
		case strings.HasPrefix(line, "❯"):
			rest := strings.TrimFunc(strings.TrimPrefix(line, "❯"), unicode.IsSpace)
			if y == s.Y && s.X <= 2 && (rest == "" || faint().MatchString(s.Lines[y]) || claudeHint().MatchString(rest)) {
				return EmptyInput
			}
			return DraftInput
		case strings.HasPrefix(line, "!"):
			return OtherInput
		case strings.HasPrefix(line, "─"), line != "" && !strings.HasPrefix(line, "  "):
			return NoInput
		}
	}
	return NoInput
}

// claudePill matches an input line that holds a long paste.
var claudePill = pattern.New(`^❯[\s\x{a0}]*\[Pasted text #\d+( \+\d+ lines)?\]\s*$`)

// claudeHolds compares only letters and digits, since a terminal may show other characters differently. Some lines of
// a long text may not be visible.
func claudeHolds(s Screen, paste string) bool {
	if claudeInput(s) != DraftInput {
		return false
	}
	first, last := s.Y, s.Y
	for !strings.HasPrefix(escapes().ReplaceAllString(s.Lines[first], ""), "❯") {
		first--
	}
	for last+1 < len(s.Lines) && !strings.HasPrefix(escapes().ReplaceAllString(s.Lines[last+1], ""), "─") {
		last++
	}
	shown := escapes().ReplaceAllString(strings.Join(s.Lines[first:last+1], "\n"), "")
	if claudePill().MatchString(strings.TrimSpace(shown)) {
		return strings.HasPrefix(paste, claudePadding) || strings.Contains(paste, "\n") // in a low window, any line break makes a pill
	}
	return !strings.HasPrefix(paste, claudePadding) && strings.Contains(letters(paste), letters(shown))
}

func letters(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return r
		}
		return -1
	}, s)
}

// claudeStashed looks for the words near the prompt.
func claudeStashed(s Screen) bool {
	from := max(0, min(s.Y-12, len(s.Lines)))
	return strings.Contains(escapes().ReplaceAllString(strings.Join(s.Lines[from:], "\n"), ""), "draft stashed")
}

// claudeIdle reads the file in which Claude Code records its status.
func claudeIdle(home string, pid int) time.Time {
	raw, err := os.ReadFile(filepath.Join(home, ".claude", "sessions", fmt.Sprint(pid)+".json"))
	if err != nil || len(raw) > 1<<20 {
		return time.Time{}
	}
	var s struct {
		Status string `json:"status"`
		Since  int64  `json:"statusUpdatedAt"` // milliseconds
	}
	if json.Unmarshal(raw, &s) != nil || s.Status != "idle" {
		return time.Time{}
	}
	return time.UnixMilli(s.Since)
}
