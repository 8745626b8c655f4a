package trial

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"ocaptain/fleet/agent/agentlog"

	"github.com/oklog/ulid/v2"

	"ocaptain/fleet/aboard/standin"
	"ocaptain/fleet/agent"
	"ocaptain/fleet/agent/loopback"
	"ocaptain/fleet/mailbox"
	"ocaptain/fleet/proto"
	"ocaptain/tasks"
)

// off holds settings with which a workspace may try to turn hooks off and to give the agent a task list of its own.
const off = `{"disableAllHooks":true,"env":{"CLAUDE_CODE_TASK_LIST_ID":"elsewhere","CLAUDE_CODE_ENABLE_TODO_TOOLS":"0"}}`

// Words that tell the script in the place of the model what to do besides a command.
const (
	hold    = "HOLD"    // in a task: claim it and end the turn
	goOn    = "GO ON"   // in a message: stop holding the task
	trouble = "TROUBLE" // in a message: have the service refuse the next request, for the reason that follows
)

// troubles lists refusals of the service, by reason, with what the captain should hear of each.
var troubles = []struct {
	reason string
	reply  loopback.Reply
	want   agentlog.TroubleKind
}{
	{
		"rate", loopback.Fail(429, "rate_limit_error", "This request would exceed your rate limit"),
		agentlog.TroubleAPI,
	},
	{
		"login", loopback.Fail(401, "authentication_error", "invalid x-api-key"),
		agentlog.TroublePerson,
	},
	{
		"credit", loopback.Fail(400, "invalid_request_error", "Your credit balance is too low to access the Anthropic API."),
		agentlog.TroublePerson,
	},
}

// script answers in the place of the model.
func script(r loopback.Request) loopback.Reply {
	prompts := r.Prompts()
	if len(prompts) > 0 {
		for _, t := range troubles {
			if strings.Contains(prompts[len(prompts)-1], trouble+" "+t.reason) {
				return t.reply
			}
		}
	}
	calls := r.Calls()
	if n := len(calls); n > 0 {
		last := calls[n-1]
		held := last.Tool == "TaskUpdate" && last.Arg("taskId") == "6" && last.Arg("status") == string(tasks.InProgress) && last.OK()
		if held && !slices.ContainsFunc(prompts, func(p string) bool { return strings.Contains(p, goOn) }) {
			return loopback.Say("I hold it.")
		}
	}
	return loopback.Worker(r)
}

// job returns a task whose description tells the script which command to run.
func job(id, run string) tasks.Task {
	return tasks.Task{ID: id, Subject: "Job " + id, Description: "RUN: " + run, Status: tasks.Pending}
}

// life is one life of Claude Code as the agent of a ship.
type life struct {
	*stage
	api *loopback.API
}

// newLife makes a ship for Claude Code, with the script as the model's service.
func newLife(dir string, o Order, secrets map[string]string, brain loopback.Brain, list ...tasks.Task) (l life, err error) {
	if l.api, err = loopback.Start(brain); err != nil {
		return l, err
	}
	is := proto.Ship{
		Prompt: "You are " + standin.Ship + ". Work on the tasks.",
		Env:    map[string]string{"ANTHROPIC_BASE_URL": l.api.URL, "CLAUDE_CODE_MAX_RETRIES": "1", "PS1": "$ "},
	}
	l.stage, err = newStage(dir, o, is, secrets, list...)
	return l, err
}

func (l life) close() {
	l.stage.close()
	l.api.Close()
}

// tryClaude tries Claude Code: one life with everything that a ship's agent meets, then starts with broken hooks.
func tryClaude(ctx context.Context, dir string, o Order) (found []Finding, unasked []string, err error) {
	taken, again := job("1", "echo stolen >> log.txt"), job("4", "echo stolen again >> log.txt")
	taken.Owner, taken.Status = standin.Other, tasks.InProgress
	again.Owner, again.Status = standin.Other, tasks.InProgress
	switchOff := fmt.Sprintf("echo three >> log.txt; printf '%%s' '%s' | tee .claude/settings.json > .claude/settings.local.json", off)
	s, err := newLife(dir, o, map[string]string{"ANTHROPIC_API_KEY": key}, script, taken, job("2", "echo two >> log.txt"), job("3", switchOff), again)
	if err != nil {
		return nil, nil, err
	}
	defer s.close()
	s.vetoes["2"] = "conflict in log.txt"
	if err := s.put(".claude/settings.json", off); err != nil {
		return nil, nil, err
	}
	if err := s.open(ctx, "1", "4"); err != nil {
		return nil, nil, err
	}
	also, enough := context.WithCancel(ctx)
	defer enough()
	beside := make(chan []Finding, 1)
	go func() {
		all := append(judge(also, brokenHooks{dir, o}.clauses()), judge(also, subscription{dir, o}.clauses())...)
		beside <- append(all, judge(also, conversations{dir, o}.clauses())...)
	}()
	found = judge(ctx, s.clauses())
	if len(Report{Findings: found}.Broken(Must)) > 0 {
		enough() // this version is refused, whatever the other clauses show
	}
	return append(found, <-beside...), s.unasked(), nil
}

// clauses returns the clauses that one life shows, in the order of that life.
func (l life) clauses() []clause {
	return []clause{
		{"it goes to work without a dialog", Must, l.begins},
		{"the task tools are there", Must, l.hasTools},
		{"every tool that it offers is known", Comfort, l.knowsTools},
		{"a claim that is denied has no effect", Must, func(ctx context.Context) string { return l.denied(ctx, "1", "stolen") }},
		{"a claim that is granted is in force", Must, l.granted},
		{"a completion that is vetoed does not count", Must, l.vetoed},
		{"hooks work on when the workspace switches them off", Must, func(ctx context.Context) string { return l.denied(ctx, "4", "stolen again") }},
		{"it waits at the end of its turn, and is woken", Must, l.woken},
		{"a message arrives once, as it was written, and is proven", Must, l.messaged},
		{"after a compaction it knows what it holds", Must, l.compacted},
		{"what it does is read in its transcript", Comfort, l.transcribed},
		{"what it uses is counted", Comfort, l.counted}, // the log may lack the last answer of a killed agent
		{"it is taken up again with its session", Must, l.resumed},
		{"limits and errors of its service are recognised", Comfort, l.troubled},
	}
}

// conversation returns the conversation of the agent so far.
func (l life) conversation() loopback.Request {
	all := l.api.Sessions()
	for _, s := range slices.Backward(all) {
		if len(s.Last.Tools) > 0 {
			return s.Last
		}
	}
	return loopback.Request{}
}

// update returns the agent's last call that sets the status of a task and has ended.
func (l life) update(id string, status tasks.Status) (last loopback.Call) {
	for _, c := range l.conversation().Calls() {
		if c.Tool == "TaskUpdate" && c.Arg("taskId") == id && c.Arg("status") == string(status) {
			last = c
		}
	}
	return last
}

func (l life) begins(ctx context.Context) string {
	if l.until(ctx, patience, func() bool { return len(l.conversation().Messages) > 0 }) != nil {
		return "it asks its service for nothing; " + l.screen(ctx)
	}
	return ""
}

func (l life) hasTools(context.Context) string {
	r := l.conversation()
	var lacking []string
	for _, name := range []string{"TaskList", "TaskGet", "TaskUpdate", "TaskCreate"} {
		if !r.Has(name) {
			lacking = append(lacking, name)
		}
	}
	if len(lacking) > 0 {
		return "the model is not offered " + strings.Join(lacking, ", ")
	}
	return ""
}

func (l life) knowsTools(context.Context) string {
	if unknown := agent.UnknownClaudeTools(l.conversation().Tools); len(unknown) > 0 {
		return "it offers " + strings.Join(unknown, ", ") + ", which ocaptain does not know: allow or deny each by agents.claude.tools in config.yaml"
	}
	return ""
}

// denied checks that the agent cannot claim a task that another ship holds; work on the task would leave the mark.
func (l life) denied(ctx context.Context, id, mark string) string {
	if l.until(ctx, 2*patience, func() bool { return l.update(id, tasks.InProgress).Done }) != nil {
		return "the task was not even tried; " + l.screen(ctx)
	}
	switch c := l.update(id, tasks.InProgress); {
	case !l.asked(id):
		return "the hook was not asked"
	case c.OK() || l.has("log.txt", mark+"\n"):
		return "it went on with the task"
	case !strings.Contains(c.Result, "owned by "+standin.Other):
		return "the agent was not told why, but: " + short(c.Result)
	}
	return ""
}

func (l life) granted(ctx context.Context) string {
	if l.until(ctx, patience, func() bool { return l.update("2", tasks.InProgress).Done }) != nil {
		return "the task was not even tried; " + l.screen(ctx)
	}
	if c := l.update("2", tasks.InProgress); !c.OK() {
		return "it was not let through: " + short(c.Result)
	}
	return ""
}

func (l life) vetoed(ctx context.Context) string {
	if l.until(ctx, patience, func() bool { return l.helm.Status("2") == tasks.Completed }) != nil {
		return "the task is never handed in; " + l.screen(ctx)
	}
	for _, c := range l.conversation().Calls() {
		if c.Tool == "TaskUpdate" && c.Arg("taskId") == "2" && c.Arg("status") == string(tasks.Completed) {
			switch {
			case c.OK():
				return "it counted"
			case !strings.Contains(c.Result, "conflict in log.txt"):
				return "the agent was not told why, but: " + short(c.Result)
			}
			return ""
		}
	}
	return "the task was completed without its tool"
}

// states returns the states that the agent reported, in order.
func (l life) states() []proto.AgentState {
	return standin.Told[proto.AgentState](l.helm, proto.KindAgentState)
}

// state returns the state that the agent reported last.
func (l life) state() proto.AgentState {
	all := l.states()
	if len(all) == 0 {
		return proto.AgentState{}
	}
	return all[len(all)-1]
}

// ends waits for the end of a turn.
func (l life) ends(ctx context.Context, s proto.State) bool {
	return l.until(ctx, patience, func() bool { return l.state().State == s }) == nil
}

func (l life) woken(ctx context.Context) string {
	if !l.ends(ctx, proto.StateIdle) {
		return "the end of its turn is not told; " + l.screen(ctx)
	}
	if err := l.add(ctx, job("5", "echo five >> log.txt")); err != nil {
		return err.Error()
	}
	if l.until(ctx, patience, func() bool { return l.helm.Status("5") == tasks.Completed }) != nil {
		return "it did not take up the task; " + l.screen(ctx)
	}
	return ""
}

// message holds characters that an agent's input line may take for commands.
var message = "RUN: echo aye >> log.txt\n" + strings.Repeat("/note this, please: it is 'long' & has $signs, #tags and @names.\n", 30)

func (l life) messaged(ctx context.Context) string {
	if !l.ends(ctx, proto.StateIdle) {
		return "the end of its turn is not told; " + l.screen(ctx)
	}
	var got proto.Mail
	id := ulid.Make().String()
	if err := l.conn.Call(ctx, proto.MethodMail, mailbox.Message{ID: id, Text: message}, &got); err != nil {
		return err.Error()
	}
	stands := func() (last proto.Mail) {
		for _, m := range standin.Told[proto.Mail](l.helm, proto.KindMail) {
			if m.ID == id {
				last = m
			}
		}
		return last
	}
	if l.until(ctx, 2*patience, func() bool { return stands().State == proto.MailSubmitted && l.has("log.txt", "aye\n") }) != nil {
		return fmt.Sprintf("it is %q; %s", stands().State, l.screen(ctx))
	}
	n := 0
	for _, p := range l.conversation().Prompts() {
		n += strings.Count(p, "echo aye >> log.txt")
	}
	switch {
	case n != 1:
		return fmt.Sprintf("it arrived %d times", n)
	case stands().Altered:
		return "its prompt changed it"
	}
	return ""
}

// tell types a message to the agent.
func (l life) tell(ctx context.Context, text string) error {
	var said proto.Said
	err := l.conn.Call(ctx, proto.MethodSay, proto.Say{Text: text}, &said)
	if err == nil && !said.Heard {
		err = fmt.Errorf("a message was not heard; %s", l.screen(ctx))
	}
	return err
}

// askedFor holds texts of requests that a task, a message, a hook or a compaction caused.
var askedFor = []string{"Work on the tasks.", "Stop hook feedback", "echo aye >> log.txt", goOn, trouble, "has been resumed", "Continue from where you left off", "CRITICAL: Respond with TEXT ONLY"}

// unasked returns the other requests to the service, each kind once.
func (l life) unasked() []string {
	var all []string
	for _, e := range l.api.Log() {
		text, asked := "", false
		for _, p := range e.Fresh {
			asked = asked || p.Type == "tool_result" || slices.ContainsFunc(askedFor, func(a string) bool { return strings.Contains(p.Text, a) })
			if p.Type == "text" {
				text = short(p.Text)
			}
		}
		if !asked && !slices.Contains(all, text) {
			all = append(all, text)
		}
	}
	return all
}

// short returns the beginning of a text, on one line.
func short(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	return agentlog.Shorten(text, 160)
}
