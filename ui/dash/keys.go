package dash

import (
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
)

type (
	cmd    = tea.Cmd
	action = func(*Model) cmd
)

// scope is where a key acts. The dashboard is in one scope at a time; the footer lists
// its keys.
type scope string

// The scopes.
const (
	inAgents   scope = "agents"
	inTasks    scope = "tasks"
	inLogs     scope = "logs"
	inShip     scope = "ship"
	inFullLogs scope = "logs, full screen"
	inDetail   scope = "task detail"
	inDiff     scope = "diff"
	inWall     scope = "wall"
	inTyping   scope = "typing to a ship"
)

// group is a set of keys that several scopes share.
type group string

// The groups.
const (
	everywhere group = "everywhere"
	dashboard  group = "dashboard"
	lists      group = "lists"
	agentKeys  group = "agents"
	taskKeys   group = "tasks"
	logKeys    group = "logs"
	shipKeys   group = "live view of a ship"
	fullLogs   group = "logs, full screen"
	pages      group = "task detail and diff"
	wallKeys   group = "wall"
	typingKeys group = "typing to a ship"
)

// groups lists the groups of a scope, the nearest first. No two keys of a scope are the same.
var groups = map[scope][]group{
	inAgents:   {agentKeys, lists, dashboard, everywhere},
	inTasks:    {taskKeys, lists, dashboard, everywhere},
	inLogs:     {logKeys, lists, dashboard, everywhere},
	inShip:     {shipKeys, dashboard, everywhere},
	inFullLogs: {fullLogs, everywhere},
	inDetail:   {pages, everywhere},
	inDiff:     {pages, everywhere},
	inWall:     {wallKeys, everywhere},
	inTyping:   {typingKeys},
}

// binding is one line of the table of keys, from which the footer, the help, the palette
// and the table in help are made.
type binding struct {
	in     group
	keys   []string // as tea.KeyPressMsg.String writes them
	name   string   // of the action, as the palette lists it; "" for one that is only a key
	short  string   // for the footer, "" to leave it out there
	help   string   // one phrase
	do     action
	off    func(*Model) string // why it cannot be done now, "" when it can; nil for always
	danger bool                // it asks before it does anything
}

// bindings is the table. It is set by init because the actions show it themselves.
var bindings []binding

// lookup finds what a key does in a scope.
func lookup(s scope, key string) *binding {
	for _, g := range groups[s] {
		for i := range bindings {
			if bindings[i].in == g && slices.Contains(bindings[i].keys, key) {
				return &bindings[i]
			}
		}
	}
	return nil
}

// shown writes keys as people read them.
func shown(keys []string) string {
	var out []string
	for _, k := range keys {
		switch k {
		case "up":
			k = "↑"
		case "down":
			k = "↓"
		case "left":
			k = "←"
		case "right":
			k = "→"
		}
		k = strings.ReplaceAll(k, "ctrl+", "ctrl-")
		out = append(out, strings.ReplaceAll(k, "shift+", "shift-"))
	}
	return strings.Join(out, " ")
}

// order is how the help and its table list the groups.
var order = []group{everywhere, dashboard, lists, agentKeys, taskKeys, logKeys, fullLogs, shipKeys, typingKeys, wallKeys, pages}

// KeyTable is the table of keys as Markdown, for help/keys.md.
func KeyTable() string {
	var b strings.Builder
	b.WriteString("| where | key | what it does |\n|---|---|---|\n")
	for _, g := range order {
		where := string(g)
		for i := range bindings {
			k := &bindings[i]
			if k.in != g || len(k.keys) == 0 {
				continue
			}
			var keys []string
			for _, key := range k.keys {
				keys = append(keys, "`"+strings.ReplaceAll(shown([]string{key}), "|", "\\|")+"`")
			}
			fmt.Fprintf(&b, "| %s | %s | %s |\n", where, strings.Join(keys, " "), k.help)
			where = ""
		}
	}
	return b.String()
}
