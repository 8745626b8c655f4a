package need

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"ocaptain/fleet"
)

// needKind is the description of a kind of need.
type needKind struct {
	Kind  fleet.NeedKind
	Who   string // its subject, if that is neither a ship nor a task
	Says  string // what the subject does, in words that follow it
	Say   string // the same for several subjects, if it differs
	Means string // for help: what the need is
	Do    Remedy
	How   string // for help: what the remedy does
	// Grace is how long the condition must last before it is a need: it may pass by itself.
	Grace time.Duration
	// Shared says that needs of several ships for the same reason are one.
	Shared bool
	// Single says that a voyage has at most one need of this kind.
	Single bool
	// Install says that the need is about this install, and the same on every voyage.
	Install bool
	find    func(*sight) []Need
}

// Conflicts is how often in a row work may conflict with the branch before the captain is told.
const Conflicts = 3

// needKinds are all kinds, the most urgent first. A new kind is one row here.
var needKinds = []needKind{
	{
		Kind: fleet.NeedHelm, Who: "helm", Says: "is away", Means: "helm does not run, and could not be started: nothing is handed out, merged or watched",
		Do: DoDoctor, How: "says why it does not start", Grace: 10 * time.Second, Install: true, find: (*sight).away,
	},
	{
		Kind: fleet.NeedDisk, Who: "the hub", Says: "cannot write", Means: "the hub's disk is full or cannot be written to: nothing is handed out or merged. It goes on by itself once there is room",
		Do: DoDoctor, How: "shows what is wrong with the hub", Grace: 2 * time.Second, Install: true, find: hindered(func(b *fleet.Board) fleet.Hindrance { return b.Disk }),
	},
	{
		Kind: fleet.NeedRedis, Who: "the hub", Says: "has no part in the session", Means: "the Redis in which hubs share the tasks does not answer, has lost them or has something forged: agents go on with what they hold, and nothing is handed out, merged or requeued. It goes on by itself once Redis answers and has the tasks",
		Do: DoLook, How: "says why", Grace: 5 * time.Second, Single: true, find: hindered(func(b *fleet.Board) fleet.Hindrance { return b.Redis }),
	},
	{
		Kind: fleet.NeedRepository, Who: "the hub", Says: "cannot merge", Means: "something keeps helm from the voyage's repository, such as a lock or a merge of yours. It goes on by itself once that is over",
		Do: DoLook, How: "says what is in the way", Grace: 10 * time.Second, Single: true, find: hindered(func(b *fleet.Board) fleet.Hindrance { return b.Repository }),
	},
	{
		Kind: fleet.NeedShips, Who: "the voyage", Says: "lacks ships", Means: "tasks are open, or the voyage is to be verified, and no ship is left for that, or a dispatch is for a worker from a provider from which there is none, or a task of a session is for a role of which there is none",
		Do: DoAdd, How: "makes a ship", Single: true, find: (*sight).crewless,
	},
	{
		Kind: fleet.NeedStuck, Who: "the voyage", Says: "is stuck", Means: "tasks are open, no ship works on any of them, and none can be claimed, now or later",
		Do: DoLook, How: "shows what each task waits for", Single: true, find: (*sight).stuck,
	},
	{
		Kind: fleet.NeedAnswer, Says: "asks you", Means: "the agent asks something, and waits for your answer",
		Do: DoAttach, How: "opens its terminal", find: ships(fleet.NeedAnswer),
	},
	{
		Kind: fleet.NeedInterrupted, Says: "waits", Means: "you interrupted the agent, and it waits for a message",
		Do: DoMessage, How: "tells the agent how to go on", Grace: time.Minute, find: ships(fleet.NeedInterrupted),
	},
	{
		Kind: fleet.NeedLogin, Says: "cannot log in", Means: "the agent's service refuses it for what only you can mend: a login, a payment, a permission",
		Do: DoLogIn, How: "opens its terminal, where you can log in", Shared: true, find: ships(fleet.NeedLogin),
	},
	{
		Kind: fleet.NeedLimited, Says: "is refused by its service", Say: "are refused by their service", Means: fmt.Sprintf("the agent's service has refused it for %s, longer than it says or without a word of when that passes. Helm goes on trying", fleet.FormatSpan(maxRefused)),
		Do: DoLogIn, How: "opens its terminal, where you can log in", Single: true, find: (*sight).limited,
	},
	{
		Kind: fleet.NeedSteering, Says: "waits for your word", Means: "work changes files that steer agents, and guard.steering is ask",
		Do: DoApprove, How: "merges it, once you have looked at the diff", find: (*sight).steering,
	},
	{
		Kind: fleet.NeedPlan, Says: "waits for your word", Means: "a planner has broken it down, and the session is to ask you before anybody begins (--approve plan)",
		Do: DoApprove, How: "has workers begin, once you have looked at it with ocaptain diff", find: (*sight).plans,
	},
	{
		Kind: fleet.NeedHold, Says: "is on hold", Say: "are on hold", Means: "the task failed again and again and was given up: no ship gets it, and what waits for it waits on",
		Do: DoRequeue, How: "hands it out again, once you have mended the cause", find: (*sight).held,
	},
	{
		Kind: fleet.NeedConflict, Says: "conflicts", Means: fmt.Sprintf("the work conflicted with the branch %d times in a row, and its agent has not resolved it", Conflicts),
		Do: DoDiff, How: "shows what it has changed", find: (*sight).conflicts,
	},
	{
		Kind: fleet.NeedInTheWay, Says: "waits for your files", Means: "the work would overwrite what you have in the voyage's workspace and have not committed",
		Do: DoLook, How: "says what is in the way", Grace: 10 * time.Second, find: (*sight).inTheWay,
	},
	{
		Kind: fleet.NeedTree, Says: "is out of step", Means: "in a voyage with one tree: the ship and others have changed the same files, or files of it do not travel, so that its task cannot be completed; or its tree is not kept the same, as when all of it went away",
		Do: DoSettle, How: "shows both sides of each file, and with --keep settles which one stays", Grace: time.Minute, find: (*sight).trees,
	},
	{
		Kind: fleet.NeedVerify, Who: "the voyage", Says: "failed to verify", Means: "all tasks are done, and verify.sh fails",
		Do: DoVerify, How: "runs it again, and shows what it prints", Single: true, find: (*sight).failsToVerify,
	},
	{
		Kind: fleet.NeedUnverified, Who: "the voyage", Says: "cannot be verified", Means: "all tasks are done, and verify.sh cannot be run. Helm goes on trying",
		Do: DoVerify, How: "tries at once, and says why it fails; or agree: takes verify.sh as it was changed, with `ocaptain verify --accept`", Grace: time.Minute, Single: true, find: (*sight).unverified,
	},
	{
		Kind: fleet.NeedConversation, Says: "cannot go on talking", Means: "the agent's conversation fills what its model takes, and could not be compacted",
		Do: DoAttach, How: "opens its terminal, where /clear begins another conversation; its work stays in its tree", find: ships(fleet.NeedConversation),
	},
	{
		Kind: fleet.NeedFailed, Says: "has failed", Say: "have failed", Means: "the ship could not be provisioned, or cannot do its part of any task",
		Do: DoReplace, How: "gives it a new machine, once you have mended the cause", Grace: time.Minute, Shared: true, find: ships(fleet.NeedFailed),
	},
	{
		Kind: fleet.NeedExited, Says: "has exited", Say: "have exited", Means: "the agent ended, and is not started again",
		Do: DoReplace, How: "gives it a new machine, once you have mended the cause", Grace: 30 * time.Second, Shared: true, find: ships(fleet.NeedExited),
	},
	{
		Kind: fleet.NeedLeftAlone, Says: "is left alone", Means: "the agent ends its turns with its task undone, or claims nothing although it is told to, and is not sent back any more",
		Do: DoMessage, How: "tells the agent how to go on", Grace: time.Minute, find: ships(fleet.NeedLeftAlone),
	},
	{
		Kind: fleet.NeedUncommitted, Says: "commits nothing", Say: "commit nothing", Means: "a worker of a pool was told twice to commit what it has, and has not, each time for as long as pools.check",
		Do: DoMessage, How: "tells the agent how to go on", find: (*sight).uncommitted,
	},
	{
		Kind: fleet.NeedStalled, Says: "is stalled", Means: fmt.Sprintf("for %s the agent should work and gave no sign of it, or worked without a task while one was ready for it", fleet.FormatSpan(fleet.StallAfter)),
		Do: DoAttach, How: "opens its terminal", find: ships(fleet.NeedStalled),
	},
	{
		Kind: fleet.NeedFlood, Says: "sends too much", Say: "send too much", Means: "the ship asks helm more than 50 times a second, or its log or its files grow without end: helm refuses or delays what is too much, and other ships lose nothing",
		Do: DoAttach, How: "opens its terminal", Grace: 5 * time.Minute, find: (*sight).floods,
	},

	{
		Kind: fleet.NeedFull, Says: "has used up its disk", Means: "the ship uses more of this machine's disk than it may (local.disk), and was stopped. It goes on by itself once it may use more, or uses less",
		Do: DoReplace, How: "gives it a new machine, where you neither raise local.disk nor remove files of the ship", find: ships(fleet.NeedFull),
	},
	{
		Kind: fleet.NeedUnreachable, Says: "cannot be reached", Means: "the ship has been out of reach for longer than its link usually is",
		Do: DoReplace, How: "gives it a new machine; its task goes to another ship", Single: true, find: (*sight).unreachable,
	},
	{
		Kind: fleet.NeedMachine, Says: "is not gone", Say: "are not gone", Means: "a machine that is to be destroyed may still be there, and cost. Helm goes on trying. A denied login, which only you can end, is a need at once",
		Do: DoSink, How: "tries again, and says why it fails", Grace: 5 * time.Minute, Shared: true, find: (*sight).machines,
	},
	{
		Kind: fleet.NeedOrphans, Who: "providers", Says: "have machines that no voyage has", Means: "machines of this install that may cost, and that no voyage knows",
		Do: DoSweep, How: "shows them, and destroys them after a yes", Install: true, find: (*sight).orphans,
	},
	{
		Kind: fleet.NeedRecords, Who: "the voyage", Says: "has damaged files", Means: "task files or records could not be used, and what they say does not count",
		Do: DoDoctor, How: "looks at them", find: (*sight).records,
	},
	{
		Kind: fleet.NeedCost, Who: "the voyage", Says: "costs", Say: "cost", Means: "a ship or the voyage is older than max_age, rests for longer than idle_warning, or could not be sunk",
		Do: DoSink, How: "sinks it", Shared: true, find: (*sight).costs,
	},
	{
		Kind: fleet.NeedBeads, Who: "bd", Says: "does not read the issues", Means: "bd fails to read the issues that helm has written into the database that it keeps in the voyage's workspace. The session goes on, the file is written, and helm tries again",
		Do: DoLook, How: "says why, and what helps", Single: true, find: hindered(func(b *fleet.Board) fleet.Hindrance { return b.Unread }),
	},
	{
		Kind: fleet.NeedBudget, Who: "the voyage", Says: "spends its budget", Means: "the agents have cost 80 % of max_cost, or all of it: then they begin nothing more",
		Do: DoBudget, How: "doubles it, or sets what you say instead, and agents go on", Single: true, find: (*sight).budget,
	},
	{
		Kind: fleet.NeedRate, Says: "costs too much", Means: "a ship's agent has cost max_rate within an hour, and begins nothing until that is less",
		Do: DoResume, How: "has it go on at once; what it has cost until then does not count as cost of that hour any more", find: (*sight).rates,
	},
	{
		Kind: fleet.NeedProposal, Who: "somebody", Says: "proposes", Means: "an agent would like the task list changed, or a task file was put aside",
		Do: DoAdopt, How: "shows all of it, and does it once you agree; or `ocaptain task reject`, which takes it off the list", find: (*sight).proposals,
	},
}

// rowOf returns the row of a kind, an empty one for an unknown kind.
func rowOf(k fleet.NeedKind) *needKind {
	if i := slices.IndexFunc(needKinds, func(r needKind) bool { return r.Kind == k }); i >= 0 {
		return &needKinds[i]
	}
	return &needKind{Kind: k}
}

// Table returns a table of all kinds in Markdown.
func Table() string {
	var out strings.Builder
	out.WriteString("| kind | what it means | told after | what to do |\n|---|---|---|---|\n")
	for _, k := range needKinds {
		after := "at once"
		switch {
		case k.Kind == fleet.NeedUnreachable:
			after = "twice its usual gap, at least " + fleet.FormatSpan(leastGap)
		case k.Grace > 0:
			after = fleet.FormatSpan(k.Grace)
		}
		fmt.Fprintf(&out, "| %s | %s | %s | %s: %s |\n", k.Kind, k.Means, after, k.Do, k.How)
	}
	return out.String()
}

// ships returns a function that finds the ships whose status has this need.
func ships(kind fleet.NeedKind) func(*sight) []Need {
	return func(s *sight) (all []Need) {
		for i := range s.Ships {
			is := &s.Ships[i]
			if is.Status.Need == kind && (s.open || is.Phase == fleet.Failed) {
				all = append(all, Need{Ships: []string{is.Name}, Task: is.Task, Why: is.Status.Reason, Since: is.Status.Since})
			}
		}
		return all
	}
}

func hindered(of func(*fleet.Board) fleet.Hindrance) func(*sight) []Need {
	return func(s *sight) []Need {
		h := of(s.Board)
		if h.IsNone() {
			return nil
		}
		return []Need{{Why: h.Why, Since: h.Since}}
	}
}
