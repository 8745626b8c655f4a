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

// Limits is the time that a hook has. Claude Code gives up on a slow hook and lets the tool run, so
// the hook itself says no well before. If it cannot, it is killed, which also says no.
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

// IsGate reports whether a hook gives permission. An unknown hook counts as a gate, so that a
// mistake says no.
func IsGate(word string) bool {
	switch word {
	case HookStop, HookSession, HookPrompt, HookTool, HookUsed, HookBroke, HookNotice, HookFailed, HookEnd, HookCompact,
		HookShorter, HookHelper, HookHelped, HookDenied, HookModel, HookStatus:
		return false
	}
	return true
}

// Decided is the exit code of a gate that has printed its whole decision, or that lets a completion pass. No shell, broken
// program or program that does nothing ends with this code.
const Decided = 10
