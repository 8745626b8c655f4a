// Package keys defines tables of keys: in which scope a key acts, what it does, and how it is described.
package keys

import (
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"ocaptain/fleet/clean"
	"ocaptain/theme"
)

// Scope is where a key acts. The dashboard is in one scope at a time; the footer lists
// its keys.
type Scope string

// The scopes.
const (
	InAgents      Scope = "agents"
	InTasks       Scope = "tasks"
	InLogs        Scope = "logs"
	InShip        Scope = "ship"
	InFullLogs    Scope = "logs, full screen"
	InDetail      Scope = "task detail"
	InDiff        Scope = "diff"
	InCosts       Scope = "costs"
	InDiscoveries Scope = "discoveries"
	InWall        Scope = "wall"
	InTyping      Scope = "typing to a ship"
)

// Group is a set of keys that several scopes share.
type Group string

// The groups.
const (
	Everywhere    Group = "everywhere"
	Dashboard     Group = "dashboard"
	Lists         Group = "lists"
	AgentKeys     Group = "agents"
	TaskKeys      Group = "tasks"
	LogKeys       Group = "logs"
	ShipKeys      Group = "live view of a ship"
	FullLogs      Group = "logs, full screen"
	Pages         Group = "task detail, diff and costs"
	DiscoveryKeys Group = "discoveries"
	WallKeys      Group = "wall"
	TypingKeys    Group = "typing to a ship"
)

// Groups lists the groups of a scope, the nearest first. A scope has no key twice.
var Groups = map[Scope][]Group{
	InAgents:      {AgentKeys, Lists, Dashboard, Everywhere},
	InTasks:       {TaskKeys, Lists, Dashboard, Everywhere},
	InLogs:        {LogKeys, Lists, Dashboard, Everywhere},
	InShip:        {ShipKeys, Dashboard, Everywhere},
	InFullLogs:    {FullLogs, Everywhere},
	InDetail:      {Pages, Everywhere},
	InDiff:        {Pages, Everywhere},
	InCosts:       {Pages, Everywhere},
	InDiscoveries: {DiscoveryKeys, Everywhere},
	InWall:        {WallKeys, Everywhere},
	InTyping:      {TypingKeys},
}

// Binding is a line of the table of keys, from which the footer, the help, the palette and the table in help are
// made. M is what it acts on.
type Binding[M any] struct {
	In     Group
	Keys   []string // in the form of tea.KeyPressMsg.String
	Name   string   // name of the action in the palette; "" for an action that only has a key
	Short  string   // text for the footer, "" to leave the key out there
	Help   string   // one phrase for the help
	Do     func(M) tea.Cmd
	Off    func(M) string // why the action is impossible now, "" when it is possible; nil for always
	Danger bool           // the action asks for confirmation
	Always bool           // the footer shows the key at every width
	First  bool           // the action makes sense before there is a voyage
}

// Table is a table of keys.
type Table[M any] []Binding[M]

// Lookup returns the binding of a key in a scope, nil for none.
func (t Table[M]) Lookup(s Scope, key string) *Binding[M] {
	for _, g := range Groups[s] {
		for _, b := range t.Group(g) {
			if slices.Contains(b.Keys, key) {
				return b
			}
		}
	}
	return nil
}

// Group returns the bindings of a group.
func (t Table[M]) Group(g Group) []*Binding[M] {
	var all []*Binding[M]
	for i := range t {
		if t[i].In == g && len(t[i].Keys) > 0 {
			all = append(all, &t[i])
		}
	}
	return all
}

// Shown returns keys as people write them.
func Shown(keys []string) string {
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

// Order is the order of the groups in the help.
var Order = []Group{Everywhere, Dashboard, Lists, AgentKeys, TaskKeys, LogKeys, FullLogs, ShipKeys, TypingKeys, WallKeys, Pages, DiscoveryKeys}

// Markdown returns the table for help/keys.md.
func (t Table[M]) Markdown() string {
	var b strings.Builder
	b.WriteString("| where | key | what it does |\n|---|---|---|\n")
	for _, g := range Order {
		where := string(g)
		for _, k := range t.Group(g) {
			var keys []string
			for _, key := range k.Keys {
				keys = append(keys, "`"+strings.ReplaceAll(Shown([]string{key}), "|", "\\|")+"`")
			}
			fmt.Fprintf(&b, "| %s | %s | %s |\n", where, strings.Join(keys, " "), k.Help)
			where = ""
		}
	}
	return b.String()
}

// Indent is the column of the descriptions in Help.
const Indent = 19

// Help returns the table as rows of the screen: the keys of a scope first, then all others.
func (t Table[M]) Help(m M, s Scope) (lines []string) {
	here := Groups[s]
	others := slices.DeleteFunc(slices.Clone(Order), func(g Group) bool { return slices.Contains(here, g) })
	for n, g := range slices.Concat(here, others) {
		lines = append(lines, theme.Title.Render(string(g)))
		for _, k := range t.Group(g) {
			names := Shown(k.Keys)
			if len(k.Keys) == 10 {
				names = "0 … 9"
			}
			line := "  " + theme.Key.Render(fmt.Sprintf("%-*s", Indent-3, names)) + " " + k.Help
			if n < len(here) && k.Off != nil {
				if why := k.Off(m); why != "" {
					line += theme.Dim.Render(" (not now: " + clean.Line(why) + ")")
				}
			}
			lines = append(lines, line)
		}
		lines = append(lines, "")
	}
	return lines
}

// Possible reports whether the action is possible now.
func (b *Binding[M]) Possible(m M) bool { return b.Off == nil || b.Off(m) == "" }

// Hints returns the keys of a scope that do something now, in pairs of key and text, and apart from them the keys that the footer shows at
// every width. short returns the text of a key, "" to leave the key out.
func (t Table[M]) Hints(m M, s Scope, short func(*Binding[M]) string) (pairs, always [][2]string) {
	for _, g := range Groups[s] {
		for _, b := range t.Group(g) {
			text := short(b)
			if text == "" || !b.Possible(m) {
				continue
			}
			p := [2]string{Shown(b.Keys[:1]), text}
			if g == Everywhere && b.Always {
				always = append(always, p)
			} else {
				pairs = append(pairs, p)
			}
		}
	}
	return pairs, always
}

// Named returns the actions with a name, each once.
func (t Table[M]) Named() (all []*Binding[M]) {
	seen := map[string]bool{}
	for i := range t {
		if b := &t[i]; b.Name != "" && !seen[b.Name] {
			seen[b.Name] = true
			all = append(all, b)
		}
	}
	return all
}
