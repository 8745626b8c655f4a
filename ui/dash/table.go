package dash

import (
	tea "charm.land/bubbletea/v2"

	"ocaptain/ui/dash/act"
	"ocaptain/ui/dash/act/onfleet"
	"ocaptain/ui/dash/act/onship"
	"ocaptain/ui/dash/act/ontask"
	"ocaptain/ui/dash/act/ontree"
	"ocaptain/ui/dash/keys"
	"ocaptain/ui/dash/logpane"
	"ocaptain/ui/dash/screen"
	"ocaptain/ui/dash/selection"
	"ocaptain/ui/dash/taskpane"
)

type (
	cmd    = tea.Cmd
	action = func(*Model) cmd
)

// onDesk returns an action beside the shown voyage.
func onDesk(do func(*onfleet.Desk) cmd) action { return func(m *Model) cmd { return do(m.desk) } }

// onDeck returns an action on the shown voyage.
func onDeck(do func(*act.Deck) cmd) action { return func(m *Model) cmd { return do(m.deck()) } }

// onShip returns an action on the selected ship.
func onShip(do func(d *act.Deck, name string) cmd) action {
	return func(m *Model) cmd { return do(m.deck(), m.shipName()) }
}

// bindings is the table of keys. init sets it, because actions refer to the table themselves.
var bindings keys.Table[*Model]

// The one table of keys. A letter has the same meaning in all scopes where possible; no single key destroys anything.
func init() {
	bindings = keys.Table[*Model]{
		{In: keys.Everywhere, Keys: []string{"?"}, Short: "help", Help: "the keys of this place, then all others", Do: (*Model).openHelp, Always: true},
		{In: keys.Everywhere, Keys: []string{":", "ctrl+p"}, Short: "palette", Help: "every action by its name", Do: (*Model).openPalette, Always: true},
		{In: keys.Everywhere, Keys: []string{"!"}, Name: "go to what needs you next", Short: "next need", Help: "what needs you next, where it is; twice within a second: all that needs you", Do: (*Model).nextNeed, Off: why(selection.Selection.NoNeeds)},
		{In: keys.Everywhere, Keys: []string{"V"}, Name: "voyages", Help: "choose another voyage", Do: onDesk((*onfleet.Desk).Choose)},
		{In: keys.Everywhere, Keys: []string{"@"}, Name: "messages", Help: "the messages so far", Do: (*Model).openHistory},
		{In: keys.Everywhere, Keys: []string{"T"}, Name: "next theme", Help: "next theme: dark, light, contrast, terminal, mono", Do: (*Model).nextTheme},
		{In: keys.Everywhere, Keys: []string{"esc"}, Help: "one step out; never quits", Do: (*Model).stepOut},
		{In: keys.Everywhere, Keys: []string{"q"}, Short: "quit", Help: "back from full screen; on the dashboard, quit: ships sail on", Do: (*Model).backOrQuit, Always: true},
		{In: keys.Everywhere, Keys: []string{"ctrl+c"}, Name: "quit; ships sail on", Help: "quit", Do: (*Model).quit},
		{In: keys.Everywhere, Keys: []string{"ctrl+z"}, Help: "suspend", Do: (*Model).suspend},

		{In: keys.Dashboard, Keys: []string{"1"}, Help: "focus on the agents", Do: focusOn(screen.Agents)},
		{In: keys.Dashboard, Keys: []string{"2"}, Help: "focus on the tasks", Do: focusOn(screen.Tasks)},
		{In: keys.Dashboard, Keys: []string{"3"}, Help: "focus on the logs", Do: focusOn(screen.Logs)},
		{In: keys.Dashboard, Keys: []string{"4"}, Help: "focus on the live view of the selected ship", Do: focusOn(screen.Ship)},
		{In: keys.Dashboard, Keys: []string{"tab"}, Short: "next pane", Help: "next pane", Do: focusBy(1)},
		{In: keys.Dashboard, Keys: []string{"shift+tab"}, Help: "previous pane", Do: focusBy(-1)},
		{In: keys.Dashboard, Keys: []string{"f"}, Help: "the focused pane in full screen, and back", Do: (*Model).toggleFull},
		{In: keys.Dashboard, Keys: []string{"/"}, Short: "filter", Help: "filter the pane: a pattern, `!` before it shows all else", Do: (*Model).askFilter, Off: (*Model).noFilter},
		{In: keys.Dashboard, Keys: []string{"N"}, Help: "previous match", Do: hit(-1)},
		{In: keys.Dashboard, Keys: []string{"o"}, Name: "wall of all ships", Help: "wall: all ships live", Do: (*Model).openWall, Off: why(selection.Selection.NoShips)},
		{In: keys.Dashboard, Keys: []string{"s"}, Name: "sail, or add a ship", Short: "sail", Help: "sail a plan, or add a ship to this voyage or pool", Do: (*Model).openSail, First: true},
		{In: keys.Dashboard, Keys: []string{"p"}, Name: "dispatch a command to a pool", Short: "dispatch", Help: "give a worker of a pool something to do", Do: (*Model).openDispatch, First: true},
		{In: keys.Dashboard, Keys: []string{"-"}, Name: "attach to the last ship", Help: "attach to the ship that you were attached to last; typed behind the ctrl-q that leaves a ship, to the ship before; `!` there: to the next ship that needs you", Do: (*Model).attachLast, Off: (*Model).noLastShip},
		{In: keys.Dashboard, Keys: []string{"m"}, Name: "message the selected ship", Help: "write a message to the selected ship; on coordinator-0, a request that becomes an epic", Do: (*Model).messageOne, Off: why(selection.Selection.NoAddressee)},
		{In: keys.Dashboard, Keys: []string{"M"}, Name: "message the marked ships, or all", Help: "write a message to the marked ships, or to all", Do: (*Model).messageMany, Off: why(selection.Selection.NoShips)},
		{In: keys.Dashboard, Keys: []string{"y"}, Name: "copy the selection", Help: "copy: a ship's attach command, a task's id, a log line", Do: (*Model).copySelection},
		{In: keys.Dashboard, Keys: []string{"Z"}, Name: "pause the voyage, or resume it", Help: "pause: agents stop at the end of their turns and wait; again: they go on", Do: onDeck(onship.PauseOrResumeAll), Off: why(selection.Selection.NoVoyage)},
		{In: keys.Dashboard, Keys: []string{"$"}, Name: "costs of the voyage", Help: "what the voyage costs, and the tokens of each minute", Do: (*Model).openCosts, Off: why(selection.Selection.NoVoyage)},
		{In: keys.Dashboard, Keys: []string{"F"}, Name: "discoveries of the repository", Help: "what reviewers found out, and whether it still holds", Do: (*Model).openDiscoveries, Off: why(selection.Selection.NoVoyage)},
		{In: keys.Dashboard, Keys: []string{"d"}, Name: "diff of the selection", Help: "what the selected ship or task has changed", Do: (*Model).openDiff, Off: why(selection.Selection.NothingToDiff)},

		{In: keys.Lists, Keys: []string{"j", "down"}, Help: "down", Do: moveBy(1)},
		{In: keys.Lists, Keys: []string{"k", "up"}, Help: "up", Do: moveBy(-1)},
		{In: keys.Lists, Keys: []string{"g", "home"}, Help: "to the top", Do: (*Model).top},
		{In: keys.Lists, Keys: []string{"G", "end"}, Help: "to the bottom; logs follow again", Do: (*Model).bottom},
		{In: keys.Lists, Keys: []string{"ctrl+d", "pgdown"}, Help: "half a page down", Do: pageBy(1)},
		{In: keys.Lists, Keys: []string{"ctrl+u", "pgup"}, Help: "half a page up", Do: pageBy(-1)},

		{In: keys.AgentKeys, Keys: []string{"enter"}, Name: "attach to the selected ship", Short: "attach", Help: "attach: the whole terminal is the agent's; ctrl-q returns, ctrl-q twice sends it", Do: (*Model).attachNow, Off: why(selection.Selection.NotAttachable)},
		{In: keys.AgentKeys, Keys: []string{"i"}, Name: "type to the selected ship", Short: "type", Help: "type to the agent in the live view; ctrl-q returns", Do: (*Model).startTyping, Off: why(selection.Selection.NotAttachable)},
		{In: keys.AgentKeys, Keys: []string{"space"}, Short: "mark", Help: "mark the ship", Do: (*Model).markShip, Off: why(selection.Selection.NoShip)},
		{In: keys.AgentKeys, Keys: []string{"l"}, Name: "logs of the selected ship", Help: "the logs of this ship alone", Do: (*Model).logsOfShip, Off: why(selection.Selection.NoShip)},
		{In: keys.AgentKeys, Keys: []string{"t"}, Name: "task of the selected ship", Help: "the task that this ship holds", Do: (*Model).taskOfShip, Off: why(selection.Selection.NoTaskHeld)},
		{In: keys.AgentKeys, Keys: []string{"I"}, Name: "all about the selected ship", Help: "all that is known of the ship", Do: (*Model).openShip, Off: why(selection.Selection.NoShip)},
		{In: keys.AgentKeys, Keys: []string{"n"}, Help: "next match", Do: hit(1)},
		{In: keys.AgentKeys, Keys: []string{"z"}, Name: "pause the selected ship, or resume it", Help: "pause the ship, or all marked: the agent stops at the end of its turn and waits; again: it goes on", Do: onShips(onship.PauseOrResume), Off: why(selection.Selection.NoShip)},
		{In: keys.AgentKeys, Keys: []string{"x"}, Name: "interrupt the selected ship's agent", Help: "interrupt the agent: sends it Escape", Do: onShip(onship.Interrupt), Off: why(selection.Selection.NotAttachable), Danger: true},
		{In: keys.AgentKeys, Keys: []string{"R"}, Name: "replace the selected ship", Help: "give the ship a new machine", Do: onShip(onship.Replace), Off: why(selection.Selection.NoShip), Danger: true},
		{In: keys.AgentKeys, Keys: []string{"D"}, Name: "sink the selected ship", Help: "sink the ship; with all marked, each of them", Do: onShips(onship.Sink), Off: why(selection.Selection.NoShip), Danger: true},

		{In: keys.TaskKeys, Keys: []string{"enter"}, Name: "detail of the selected task", Short: "detail", Help: "all about the task: blockers, history, commits, diff", Do: (*Model).openDetail, Off: why(selection.Selection.NoTask)},
		{In: keys.TaskKeys, Keys: []string{"A"}, Name: "approve the selected task", Short: "approve", Help: "approve what waits for you, after a look at it: a plan, work in review, or work that changes files which steer agents", Do: (*Model).approve, Off: why(selection.Selection.NothingAsked)},
		{In: keys.TaskKeys, Keys: []string{"X"}, Name: "reject the selected task", Short: "reject", Help: "reject that, after a look at it: it is planned anew, or goes back to who did it", Do: (*Model).reject, Off: why(selection.Selection.NothingAsked), Danger: true},
		{In: keys.TaskKeys, Keys: []string{"P"}, Name: "what agents propose", Short: "proposals", Help: "what agents would like changed in the list, the oldest first: all of it, to be approved or rejected there", Do: (*Model).oldestProposal, Off: why(selection.Selection.NoProposals)},
		{In: keys.TaskKeys, Keys: []string{"n"}, Short: "new", Help: "ask a session for something more, or add a task to a plan; while tasks are filtered, the next match", Do: (*Model).nextOrNew, Off: why(selection.Selection.NoNextOrNew)},
		{In: keys.TaskKeys, Keys: []string{"e"}, Name: "edit the selected task", Short: "edit", Help: "change the task in your $EDITOR, or here: words, priority, blockers, check, ship", Do: (*Model).editTask, Off: why(selection.Selection.NoOpenTask)},
		{In: keys.TaskKeys, Keys: []string{"H"}, Name: "hold the selected task, or release it", Help: "hold: no ship gets the task; again: ships may have it", Do: onTask(ontask.HoldOrRelease), Off: why(selection.Selection.NothingToHold), Danger: true},
		{In: keys.TaskKeys, Keys: []string{"S"}, Name: "split the selected task", Help: "split the task into several, which ships claim one by one", Do: onTaskID(ontask.Split), Off: why(selection.Selection.NoOpenTask)},
		{In: keys.TaskKeys, Keys: []string{"D"}, Name: "cancel the selected task", Help: "give the task up for good, with all that waits for it", Do: onTaskID(ontask.Cancel), Off: why(selection.Selection.NoOpenTask), Danger: true},
		{In: keys.TaskKeys, Keys: []string{"v"}, Name: "tasks as list, tree or graph", Short: "list, tree, graph", Help: "list, tree, graph", Do: onTasks((*taskpane.Pane).CycleMode), Off: why(selection.Selection.NoGraph)},
		{In: keys.TaskKeys, Keys: []string{"u"}, Name: "ready tasks only", Help: "ready tasks only", Do: onTasks(func(p *taskpane.Pane) { p.ReadyOnly(!p.IsReadyOnly()) }), Off: why(selection.Selection.NoGraph)},
		{In: keys.TaskKeys, Keys: []string{"c"}, Name: "hide completed tasks", Help: "hide completed tasks", Do: onTasks(func(p *taskpane.Pane) { p.HideCompleted(!p.IsHideCompleted()) })},
		{In: keys.TaskKeys, Keys: []string{"b"}, Name: "what blocks the selected task", Short: "blockers", Help: "what keeps the task from being ready, to the root", Do: (*Model).openBlockers, Off: why(selection.Selection.NoBlockers)},
		{In: keys.TaskKeys, Keys: []string{"O"}, Name: "ship of the selected task", Help: "the ship that holds the task", Do: (*Model).shipOfTask, Off: why(selection.Selection.NoOwner)},
		{In: keys.TaskKeys, Keys: []string{"R"}, Name: "requeue the selected task", Help: "make the task ready again: take it from its ship, or off hold", Do: onTask(ontask.Requeue), Off: why(selection.Selection.NothingToRequeue), Danger: true},
		{In: keys.TaskKeys, Keys: []string{"t"}, Name: "take the selected task's work", Help: "bring the work of the task, with what was merged before it, into your checkout as a branch", Do: (*Model).takeTask, Off: why(selection.Selection.NothingDone)},
		{In: keys.TaskKeys, Name: "revert the selected task", Do: onTaskID(ontask.Revert), Off: why(selection.Selection.NothingToRevert), Danger: true},
		{In: keys.TaskKeys, Keys: []string{"h", "left"}, Help: "left in the graph", Do: sideways(-8)},
		{In: keys.TaskKeys, Keys: []string{"l", "right"}, Help: "right in the graph", Do: sideways(8)},

		{In: keys.LogKeys, Keys: []string{"enter"}, Short: "full screen", Help: "logs in full screen", Do: (*Model).toggleFull},
		{In: keys.LogKeys, Keys: []string{"n"}, Help: "next match", Do: hit(1)},

		{In: keys.FullLogs, Keys: []string{"a"}, Short: "all", Help: "all roles", Do: role("")},
		{In: keys.FullLogs, Keys: []string{"w"}, Short: "workers", Help: "workers only", Do: role("worker")},
		{In: keys.FullLogs, Keys: []string{"v"}, Short: "validator", Help: "the validator only", Do: role("validator")},
		{In: keys.FullLogs, Keys: []string{"p"}, Short: "planner", Help: "the planner only", Do: role("planner")},
		{In: keys.FullLogs, Keys: digits(), Help: "show this ship or leave it out, by its number", Do: nil},
		{In: keys.FullLogs, Keys: []string{"g"}, Help: "then two digits: the ship of that number; twice: to the top", Do: (*Model).beginNumber},
		{In: keys.FullLogs, Keys: []string{"/"}, Short: "filter", Help: "filter: a pattern, `!` before it shows all else", Do: (*Model).askFilter},
		{In: keys.FullLogs, Keys: []string{"n"}, Help: "next match", Do: hit(1)},
		{In: keys.FullLogs, Keys: []string{"N"}, Help: "previous match", Do: hit(-1)},
		{In: keys.FullLogs, Keys: []string{"s"}, Short: "follow", Help: "follow the newest line, or stop", Do: onLogs((*logpane.Pane).ToggleFollow)},
		{In: keys.FullLogs, Keys: []string{"W"}, Help: "wrap long lines", Do: onLogs((*logpane.Pane).ToggleWrap)},
		{In: keys.FullLogs, Keys: []string{"t"}, Help: "show the time", Do: onLogs((*logpane.Pane).ToggleTime)},
		{In: keys.FullLogs, Keys: []string{"C"}, Help: "lines around the matches", Do: onLogs((*logpane.Pane).ToggleContext)},
		{In: keys.FullLogs, Keys: []string{"M"}, Help: "draw a line here, now", Do: (*Model).markLog},
		{In: keys.FullLogs, Keys: []string{"ctrl+s"}, Name: "save the logs as they are filtered", Help: "save what is shown to a file", Do: (*Model).saveLogs},
		{In: keys.FullLogs, Keys: []string{"y"}, Help: "copy the line", Do: (*Model).copySelection},
		{In: keys.FullLogs, Keys: []string{"h", "left"}, Help: "left", Do: sideways(-8)},
		{In: keys.FullLogs, Keys: []string{"l", "right"}, Help: "right", Do: sideways(8)},
		{In: keys.FullLogs, Keys: []string{"j", "down"}, Help: "down", Do: moveBy(1)},
		{In: keys.FullLogs, Keys: []string{"k", "up"}, Help: "up", Do: moveBy(-1)},
		{In: keys.FullLogs, Keys: []string{"home"}, Help: "to the oldest line", Do: (*Model).top},
		{In: keys.FullLogs, Keys: []string{"G", "end"}, Help: "to the newest line, and follow", Do: (*Model).bottom},
		{In: keys.FullLogs, Keys: []string{"ctrl+d", "pgdown"}, Help: "half a page down", Do: pageBy(1)},
		{In: keys.FullLogs, Keys: []string{"ctrl+u", "pgup"}, Help: "half a page up", Do: pageBy(-1)},
		{In: keys.FullLogs, Keys: []string{"f", "enter"}, Help: "back to the dashboard", Do: (*Model).toggleFull},

		{In: keys.ShipKeys, Keys: []string{"enter"}, Short: "attach", Help: "attach: the whole terminal is the agent's; ctrl-q returns", Do: (*Model).attachNow, Off: why(selection.Selection.NotAttachable)},
		{In: keys.ShipKeys, Keys: []string{"i"}, Short: "type", Help: "type to the agent here; ctrl-q returns", Do: (*Model).startTyping, Off: why(selection.Selection.NotAttachable)},
		{In: keys.ShipKeys, Keys: []string{"j", "down"}, Help: "one line on", Do: moveBy(1)},
		{In: keys.ShipKeys, Keys: []string{"k", "up"}, Short: "scroll back", Help: "one line back in what the ship has shown", Do: moveBy(-1)},
		{In: keys.ShipKeys, Keys: []string{"pgup", "shift+pgup", "ctrl+u"}, Help: "half a page back", Do: pageBy(-1)},
		{In: keys.ShipKeys, Keys: []string{"pgdown", "shift+pgdown", "ctrl+d"}, Help: "half a page on", Do: pageBy(1)},
		{In: keys.ShipKeys, Keys: []string{"g", "home"}, Help: "to the oldest line that the ship still has", Do: (*Model).top},
		{In: keys.ShipKeys, Keys: []string{"G", "end"}, Help: "back to what it shows now", Do: (*Model).bottom},
		{In: keys.ShipKeys, Keys: []string{"[", "K"}, Help: "previous ship", Do: shipBy(-1)},
		{In: keys.ShipKeys, Keys: []string{"]", "J"}, Help: "next ship", Do: shipBy(1)},

		{In: keys.TypingKeys, Keys: []string{"ctrl+q"}, Short: "stop typing", Help: "stop typing; every other key goes to the agent", Do: (*Model).stopTyping},

		{In: keys.WallKeys, Keys: []string{"h", "left"}, Help: "the tile to the left", Do: tileBy(-1, 0)},
		{In: keys.WallKeys, Keys: []string{"l", "right", "tab"}, Short: "next", Help: "the tile to the right", Do: tileBy(1, 0)},
		{In: keys.WallKeys, Keys: []string{"j", "down"}, Help: "the tile below", Do: tileBy(0, 1)},
		{In: keys.WallKeys, Keys: []string{"k", "up"}, Help: "the tile above", Do: tileBy(0, -1)},
		{In: keys.WallKeys, Keys: []string{"pgdown", "ctrl+d"}, Short: "page", Help: "next page of ships", Do: wallPage(1)},
		{In: keys.WallKeys, Keys: []string{"pgup", "ctrl+u"}, Help: "previous page", Do: wallPage(-1)},
		{In: keys.WallKeys, Keys: []string{"+"}, Help: "fewer, larger tiles", Do: wallSize(-1)},
		{In: keys.WallKeys, Keys: []string{"-"}, Help: "more, smaller tiles", Do: wallSize(1)},
		{In: keys.WallKeys, Keys: []string{"enter"}, Short: "attach", Help: "attach to the selected ship", Do: (*Model).attachNow, Off: why(selection.Selection.NotAttachable)},
		{In: keys.WallKeys, Keys: []string{"f"}, Short: "look closer", Help: "the selected ship in full screen", Do: (*Model).closer},
		{In: keys.WallKeys, Keys: []string{"m"}, Help: "write a message to the selected ship", Do: (*Model).messageOne, Off: why(selection.Selection.NoAddressee)},
		{In: keys.WallKeys, Keys: []string{"o"}, Help: "back to the dashboard", Do: (*Model).stepOut},

		{In: keys.Pages, Keys: []string{"A"}, Short: "approve", Help: "approve what is shown, once it is the diff or the plan; accept a proposal", Do: (*Model).approve, Off: why(selection.Selection.NothingAsked)},
		{In: keys.Pages, Keys: []string{"X"}, Short: "reject", Help: "reject it, and say why", Do: (*Model).reject, Off: why(selection.Selection.NothingAsked), Danger: true},
		{In: keys.Pages, Keys: []string{"S"}, Short: "settle", Help: "where all share a tree: say whose copy of a file counts that clashes", Do: onDeck(ontree.Settle), Off: why(selection.Selection.NoClash)},
		{In: keys.Pages, Keys: []string{"j", "down"}, Short: "scroll", Help: "down", Do: moveBy(1)},
		{In: keys.Pages, Keys: []string{"k", "up"}, Help: "up", Do: moveBy(-1)},
		{In: keys.Pages, Keys: []string{"ctrl+d", "pgdown", "space"}, Help: "half a page down", Do: pageBy(1)},
		{In: keys.Pages, Keys: []string{"ctrl+u", "pgup"}, Help: "half a page up", Do: pageBy(-1)},
		{In: keys.Pages, Keys: []string{"g", "home"}, Help: "to the top", Do: (*Model).top},
		{In: keys.Pages, Keys: []string{"G", "end"}, Help: "to the bottom", Do: (*Model).bottom},
		{In: keys.Pages, Keys: []string{"n"}, Short: "next file", Help: "next file of the diff", Do: fileBy(1), Off: (*Model).noFiles},
		{In: keys.Pages, Keys: []string{"N"}, Help: "previous file", Do: fileBy(-1), Off: (*Model).noFiles},
		{In: keys.Pages, Keys: []string{"o"}, Name: "open the diff in your editor", Short: "editor", Help: "the diff of the task or the ship in your $EDITOR", Do: (*Model).openInEditor, Off: (*Model).notOpenable},
		{In: keys.Pages, Keys: []string{"enter"}, Short: "back", Help: "back", Do: (*Model).stepOut},

		{In: keys.DiscoveryKeys, Keys: []string{"enter"}, Short: "whole, or list", Help: "the whole of the selected one, and back to the list", Do: (*Model).wholeDiscovery, Off: (*Model).noDiscovery},
		{In: keys.DiscoveryKeys, Keys: []string{"j", "down"}, Short: "down", Help: "down", Do: moveBy(1), Off: (*Model).noDiscovery},
		{In: keys.DiscoveryKeys, Keys: []string{"k", "up"}, Help: "up", Do: moveBy(-1)},
		{In: keys.DiscoveryKeys, Keys: []string{"ctrl+d", "pgdown", "space"}, Help: "half a page down", Do: pageBy(1)},
		{In: keys.DiscoveryKeys, Keys: []string{"ctrl+u", "pgup"}, Help: "half a page up", Do: pageBy(-1)},
		{In: keys.DiscoveryKeys, Keys: []string{"g", "home"}, Help: "to the top", Do: (*Model).top},
		{In: keys.DiscoveryKeys, Keys: []string{"G", "end"}, Help: "to the bottom", Do: (*Model).bottom},

		// Actions without a key of their own are reached through the palette.
		{In: keys.Dashboard, Name: "add a ship", Do: onDeck(onship.Add), Off: why(selection.Selection.NoVoyage)},
		{In: keys.Dashboard, Name: "add an epic to the session", Do: onDeck(ontask.NewEpic), Off: why(selection.Selection.NoSession)},
		{In: keys.Dashboard, Name: "budget of the voyage", Do: (*Model).changeBudget, Off: why(selection.Selection.NoVoyage)},
		{In: keys.Dashboard, Name: "take the voyage's work into your checkout", Do: (*Model).takeVoyage, Off: why(selection.Selection.NoVoyage)},
		{In: keys.Dashboard, Name: "the tree that all share, and files that clash", Do: (*Model).openTrees, Off: why(selection.Selection.NoSharedTree)},
		{In: keys.Dashboard, Name: "verify now", Do: (*Model).verify, Off: why(selection.Selection.NoVerify)},
		{In: keys.Dashboard, Name: "diff of the whole voyage", Do: (*Model).diffVoyage, Off: why(selection.Selection.NoWholeDiff)},
		{In: keys.Dashboard, Name: "sink the voyage", Do: (*Model).sinkVoyage, Off: why(selection.Selection.NoShips), Danger: true},
		{In: keys.Dashboard, Name: "drain the selected worker", Do: onShip(onship.Drain), Off: why(selection.Selection.NotDrainable), Danger: true},
		{In: keys.Dashboard, Name: "remove the selected worker", Do: onShips(onship.Sink), Off: why(selection.Selection.NoWorker), Danger: true},
		{In: keys.Everywhere, Name: "all that needs you", Do: (*Model).openNeeds, Off: why(selection.Selection.NoNeeds)},
		{In: keys.Everywhere, Name: "sweep: machines that no voyage has", Do: onDesk((*onfleet.Desk).Sweep), Danger: true},
		{In: keys.Everywhere, Name: "restart helm", Do: (*Model).restartHelm},
	}
}

// KeyTable is the table of keys as Markdown, for help/keys.md.
func KeyTable() string { return bindings.Markdown() }
