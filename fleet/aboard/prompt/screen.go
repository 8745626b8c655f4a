package prompt

import (
	"strings"

	"ocaptain/fleet/aboard/shipdir"
	"ocaptain/fleet/clean"
	"ocaptain/tasks/pattern"
)

// screenLines is how much of a screen is looked at: its last lines that are not blank.
const screenLines = 30

// Why an agent waits with an unknown menu, or asks for permission. The question is reported besides.
const (
	aMenu       = "asks a question"
	aPermission = "asks for a permission"
)

// questions are the screens of Claude Code 2.1.329 that wait for a person and that no
// hook tells of, most of them from before its session begins. All words must be there.
var questions = []struct {
	words []string
	why   string
}{
	{[]string{"Is this a project you created or one you trust?"}, "asks whether the workspace is trusted"},
	{[]string{"running in Bypass Permissions mode", "Yes, I accept"}, "asks to accept the mode without permissions"},
	{[]string{"Detected a custom API key in your environment"}, "asks whether to use the API key"},
	{[]string{"Select login method:"}, "asks for a login"},
	{[]string{"Paste code here if prompted"}, "asks for the code of a login"},
	{[]string{"Choose the text style that looks best"}, "asks for a text style, as at a first start"},
	{[]string{"Choose the option that looks best"}, "asks for a text style, as at a first start"},
	{[]string{"What do you want to do?", "wait for limit to reset"}, ""}, // told as a limit; typing closes it
	{[]string{"Settings Error", "Exit and fix"}, "says that a settings file is wrong"},
	{[]string{"Unable to connect to Anthropic services"}, "cannot reach its service"},
	{[]string{"Do you want to ", "❯ 1. Yes"}, aPermission},
	{[]string{"Update available", "❯ "}, "asks about an update"},
	// Menus that are not known: a choice is marked, and Enter is asked for.
	{[]string{"❯ ", "Enter to confirm"}, aMenu},
}

// Question says in words what a screen asks and still waits for; "" for nothing.
func Question(screen string) string {
	text := lastLines(screen)
	for _, q := range questions {
		all := true
		for _, w := range q.words {
			all = all && strings.Contains(text, w)
		}
		if all && (q.why == aMenu || q.why == aPermission) {
			return q.why + asked(text)
		}
		if all {
			return q.why
		}
	}
	return ""
}

// asked is the question above the first answer of a menu whose words are not ours, after a colon; "" for none.
func asked(text string) string {
	menu := text[:max(0, strings.LastIndex(text, "❯ "))]
	end := strings.LastIndex(menu, "?")
	if end < 0 {
		return ""
	}
	line := menu[strings.LastIndexByte(menu[:end], '\n')+1 : end+1]
	return ": " + strings.ToValidUTF8(shipdir.Cut(clean.Line(strings.Trim(line, " \t│╭╰─☐")), 200), "\uFFFD")
}

// retrying is the line by which Claude Code tells, above its prompt, that it asks the
// service again. No hook tells that, and it lasts for minutes.
var retrying = pattern.New(`^\S (.{1,80}?) · retrying(?:…| in [0-9dhms ]{1,12}) · attempt (\d{1,3})/(\d{1,3})$`)

// TryingAgain says in words that the agent tries a request again; "" when it does not.
func TryingAgain(screen string) string {
	for line := range strings.Lines(lastLines(screen)) {
		if m := retrying().FindStringSubmatch(strings.TrimSpace(line)); m != nil {
			what := m[1]
			if strings.Contains(what, "529") || strings.Contains(strings.ToLower(what), "overloaded") {
				what = "API overloaded"
			}
			return what + ", trying again (" + m[2] + " of " + m[3] + ")"
		}
	}
	return ""
}

// lastLines are the last lines of a screen that are not blank.
func lastLines(screen string) string {
	var lines []string
	for line := range strings.Lines(screen) {
		if strings.TrimSpace(line) != "" {
			lines = append(lines, strings.TrimRight(line, " \r\n"))
		}
	}
	return strings.Join(lines[max(0, len(lines)-screenLines):], "\n")
}
