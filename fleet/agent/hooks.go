package agent

import "time"

// The words by which the program's settings call "ocaptain aboard hook". Most are
// Claude Code's names of its events.
const (
	HookClaim   = "PreToolUse"    // gate: may this task tool run
	HookDone    = "TaskCompleted" // gate: is this task done
	HookStop    = "Stop"          // the turn is over: waits for something to do
	HookSession = "SessionStart"
	HookPrompt  = "UserPromptSubmit"
	HookTool    = "ToolStart" // PreToolUse of any tool, to report only
	HookUsed    = "PostToolUse"
	HookBroke   = "PostToolUseFailure"
	HookNotice  = "Notification"
	HookFailed  = "StopFailure"
	HookEnd     = "SessionEnd"
	HookCompact = "PreCompact"
	HookStatus  = "StatusLine" // not an event: what to show below the prompt
	HookShorter = "PostCompact"
	HookHelper  = "SubagentStart"
	HookHelped  = "SubagentStop"
	HookDenied  = "PermissionDenied"
	HookModel   = "PostModelSwitch"
)

// Limits is the time that a hook has. Claude Code gives up on one that takes too
// long and lets the tool run, so the hook says no by itself well before, and is
// killed, which also says no, in case it cannot.
type Limits struct {
	Own  time.Duration // after which it decides by itself
	Kill time.Duration // after which a gate is killed
	Wait time.Duration // after which Claude Code gives up on it
}

// HookLimits returns the limits of a hook.
func HookLimits(word string) Limits {
	switch word {
	case HookClaim:
		return Limits{100 * time.Second, 110 * time.Second, 130 * time.Second}
	case HookDone:
		return Limits{29 * time.Minute, 30 * time.Minute, 31 * time.Minute}
	case HookStop:
		const week = 7 * 24 * time.Hour
		return Limits{Own: week, Wait: week + 10*time.Minute}
	case HookSession:
		return Limits{Own: 10 * time.Second, Wait: 20 * time.Second}
	default:
		return Limits{Own: 5 * time.Second, Wait: 10 * time.Second}
	}
}

// IsGate reports whether a hook gives permission. One that nobody knows is taken for
// a gate, so that a mistake says no.
func IsGate(word string) bool {
	switch word {
	case HookStop, HookSession, HookPrompt, HookTool, HookUsed, HookBroke, HookNotice, HookFailed, HookEnd, HookCompact,
		HookShorter, HookHelper, HookHelped, HookDenied, HookModel, HookStatus:
		return false
	}
	return true
}

// Decided is the exit code of a gate that has printed its whole decision, or that lets a completion pass. It is no code with
// which a shell, a program that breaks, or one that does nothing ends.
const Decided = 10
