package agent

import "strings"

// claudeMenu are the words of the menu by which Claude Code 2.1.329 asks what to do
// about a usage limit. It stays until it is answered, also when the limit is over, and
// to answer nothing is to wait.
var claudeMenu = []string{"What do you want to do?", "wait for limit to reset", "Esc to cancel"}

// claudeDismiss closes that menu and no other. What an agent prints can hold the same
// words, so they must stand in the menu's own frame, at the end of the screen.
func claudeDismiss(s Screen) string {
	if claudeInput(s) != NoInput {
		return ""
	}
	frame := -1
	lines := make([]string, len(s.Lines))
	for y, line := range s.Lines {
		lines[y] = escapes().ReplaceAllString(line, "")
		if strings.HasPrefix(lines[y], "▔▔▔") {
			frame = y
		}
	}
	if frame < 0 {
		return ""
	}
	text := strings.TrimSpace(strings.Join(lines[frame:], "\n"))
	for _, w := range claudeMenu {
		if !strings.Contains(text, w) {
			return ""
		}
	}
	if !strings.HasSuffix(text, claudeMenu[len(claudeMenu)-1]) {
		return ""
	}
	return "Escape"
}
