package e2e

import (
	"strings"
)

// keyboard presses keys of the dashboard's table and remembers them.
type keyboard struct {
	*window
	pressed map[string]bool // by group and key, as the table writes them
}

// key presses a key of a group of the table and waits until the screen shows its effect.
func (k *keyboard) key(where, key, what string, s sight) view {
	k.Helper()
	k.pressed[where+": "+key] = true
	k.keys(tmuxKey(key))
	return k.see(what+" after "+key+" ("+where+")", s)
}

// tmuxKey is tmux's name for a key of the table.
func tmuxKey(key string) string {
	if name, ok := map[string]string{
		"esc": "Escape", "tab": "Tab", "shift-tab": "BTab", "space": "Space", "enter": "Enter", "home": "Home", "end": "End",
		"pgup": "PageUp", "pgdown": "PageDown", "shift-pgup": "S-PageUp", "shift-pgdown": "S-PageDown",
		"↑": "Up", "↓": "Down", "←": "Left", "→": "Right",
	}[key]; ok {
		return name
	}
	if c, ok := strings.CutPrefix(key, "ctrl-"); ok {
		return "C-" + c
	}
	return key
}

const (
	everywhere = "everywhere"
	dashboard  = "dashboard"
	lists      = "lists"
)
