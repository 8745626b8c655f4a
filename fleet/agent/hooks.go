package agent

import "time"

// The arguments of "ocaptain aboard hook" in the program's settings. Most are Claude Code's names of its events.
const (
	HookClaim   = "PreToolUse"    // gate: decides whether a task tool may run
	HookDone    = "TaskCompleted" // gate: decides whether a task is completed
	HookStop    = "Stop"          // the turn is over: waits until there is something to do
	HookSession = "SessionStart"
	HookPrompt  = "UserPromptSubmit"
	HookTool    = "ToolStart" // PreToolUse of any tool, for reports
	HookUsed    = "PostToolUse"
	HookBroke   = "PostToolUseFailure"
	HookNotice  = "Notification"
	HookFailed  = "StopFailure"
	HookEnd     = "SessionEnd"
	HookCompact = "PreCompact"
	HookStatus  = "StatusLine" // not an event: prints the line below the prompt
	HookShorter = "PostCompact"
	HookHelper  = "SubagentStart"
	HookHelped  = "SubagentStop"
	HookDenied  = "PermissionDenied"
	HookModel   = "PostModelSwitch"
)

// Limits are the time limits of a hook. When a hook is slow, Claude Code gives up and lets the tool run, so the hook
// itself refuses well before that. If it cannot, it is killed, which refuses too.
type Limits struct {
	Own  time.Duration // when the hook decides by itself
	Kill time.Duration // when a gate is killed
	Wait time.Duration // when Claude Code gives up on the hook
}

// HookLimits returns the time limits of a hook.
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

// IsGate reports whether a hook gives permission. An unknown hook counts as a gate, so that a mistake refuses.
func IsGate(word string) bool {
	switch word {
	case HookStop, HookSession, HookPrompt, HookTool, HookUsed, HookBroke, HookNotice, HookFailed, HookEnd, HookCompact,
		HookShorter, HookHelper, HookHelped, HookDenied, HookModel, HookStatus:
		return false
	}
	return true
}

// Decided is the exit code of a gate that has printed its decision, or lets a completion pass. No shell or broken program
// exits with this code.
const Decided = 10
