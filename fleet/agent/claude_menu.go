package agent

import "strings"

// claudeMenu are the words of the menu in which Claude Code 2.1.329 asks what to do about a usage limit. The menu
// stays until it is answered, even if the limit is over. Closing it means to wait.
var claudeMenu = []string{"What do you want to do?", "wait for limit to reset", "Esc to cancel"}

// claudeDismiss returns a key for that menu only. As an agent may print the same words, they must be in the menu's
// own frame at the end of the screen.
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
