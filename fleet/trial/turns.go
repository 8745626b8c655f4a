package trial

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"ocaptain/fleet/agent/agentlog"

	"ocaptain/fleet/aboard/standin"
	"ocaptain/fleet/agent"
	"ocaptain/fleet/agent/otherapi"
	"ocaptain/fleet/proto"
	"ocaptain/tasks"
)

// services lists the agents that can work for a stand-in model on this machine, each with the model that it is asked to use and its
// variables; the name of a secret variable ends in KEY.
var services = map[string]struct {
	model string
	env   func(url string) map[string]string
}{
	"codex": {"gpt-5", func(url string) map[string]string {
		return map[string]string{"OPENAI_API_KEY": key, "OPENAI_BASE_URL": url + "/v1"}
	}},
	"gemini": {"gemini-2.5-flash", func(url string) map[string]string {
		return map[string]string{"GEMINI_API_KEY": key, "GOOGLE_GEMINI_BASE_URL": url}
	}},
	"opencode": {"openai/gpt-4.1", func(url string) map[string]string {
		return map[string]string{"OPENAI_API_KEY": key, "OPENAI_BASE_URL": url + "/v1"}
	}},
	"copilot": {"gpt-5.4", func(url string) map[string]string {
		return map[string]string{"COPILOT_PROVIDER_API_KEY": key, "COPILOT_PROVIDER_BASE_URL": url + "/v1"}
	}},
}

// turns tries an agent that works in turns and claims tasks by commands, which no version of an agent can get around. The trial
// shows that the version works.
type turns struct {
	*stage
	service *otherapi.Server
}

// tryTurns tries an agent that works in turns.
func tryTurns(ctx context.Context, dir string, o Order) ([]Finding, error) {
	service, err := otherapi.Start(otherapi.Worker)
	if err != nil {
		return nil, err
	}
	defer service.Close()
	of := services[o.Agent]
	secrets, env := map[string]string{}, map[string]string{}
	for name, value := range of.env(service.URL) {
		if strings.HasSuffix(name, "KEY") {
			secrets[name] = value
		} else {
			env[name] = value
		}
	}
	s, err := newStage(dir, o, proto.Ship{Prompt: "Work on the tasks with ocaptain task.", Model: of.model, Env: env}, secrets, turnJob("1"), turnJob("2"))
	if err != nil {
		return nil, err
	}
	defer s.close()
	if err := s.open(ctx); err != nil {
		return nil, err
	}
	t := turns{s, service}
	return judge(ctx, []clause{
		{"it begins a turn without a dialog", Must, t.begins},
		{"it does what it is told, and hands it in", Must, func(ctx context.Context) string { return t.does(ctx, "1") }},
		{"its turn ends, and the next one begins", Must, func(ctx context.Context) string { return t.does(ctx, "2") }},
		{"it is taken up again with its session", Comfort, t.resumed},
		{"what it does is read in what it prints", Comfort, t.logged},
		{"what it uses is counted", Comfort, t.counted},
	}), nil
}

// turnJob returns a task for otherapi.Worker.
func turnJob(id string) tasks.Task {
	return tasks.Task{ID: id, Subject: "Job " + id, Description: "Run: echo " + id + " >> log.txt", Status: tasks.Pending}
}

func (t turns) begins(ctx context.Context) string {
	if t.until(ctx, 3*patience, func() bool { return len(t.service.Talks()) > 0 }) != nil {
		return "it asks its service for nothing; " + t.screen(ctx)
	}
	return ""
}

func (t turns) does(ctx context.Context, id string) string {
	if t.until(ctx, 3*patience, func() bool { return t.helm.Status(id) == tasks.Completed }) != nil {
		return "the task is not handed in; " + t.screen(ctx)
	}
	if !t.has("log.txt", id+"\n") {
		return "the task is handed in, but not done"
	}
	return ""
}

func (t turns) resumed(ctx context.Context) string {
	again := func(s proto.AgentStarted) bool { return s.Resumed }
	if t.until(ctx, patience, func() bool {
		return slices.ContainsFunc(standin.Told[proto.AgentStarted](t.helm, proto.KindAgentStarted), again)
	}) != nil {
		return "each turn is a new session"
	}
	return ""
}

func (t turns) logged(ctx context.Context) string {
	has := func(kind, text string) bool {
		return slices.ContainsFunc(standin.Told[proto.Log](t.helm, proto.KindLog), func(g proto.Log) bool { return g.Kind == kind && strings.Contains(g.Text, text) })
	}
	if t.until(ctx, patience, func() bool { return has("say", "I look for a task.") && has("tool", "ocaptain task claim") }) != nil {
		return "the log lacks what it says or does"
	}
	return ""
}

func (t turns) counted(ctx context.Context) string {
	var sum agentlog.Tokens
	known := func() bool {
		sum = agentlog.Tokens{}
		if all := standin.Told[proto.Usage](t.helm, proto.KindUsage); len(all) > 0 {
			for _, m := range all[len(all)-1].Models {
				sum = sum.Add(m)
			}
		}
		return sum.Input > 0 && sum.Output > 0
	}
	if t.until(ctx, patience, known) != nil {
		return fmt.Sprintf("it tells of %d tokens of input and %d of output", sum.Input, sum.Output)
	}
	return ""
}

// tryFlags tries an agent that can do nothing without an account: it checks that the agent knows the options that
// ships start it with.
func tryFlags(ctx context.Context, a agent.Agent, o Order) ([]Finding, error) {
	help, err := printed(ctx, o.Program, []string{"--help"})
	if err != nil {
		return nil, fmt.Errorf("%s --help: %w", o.Agent, err)
	}
	knows := func(context.Context) string {
		var lacking []string
		for _, arg := range a.Command(agent.Setup{Home: "/"}).Args {
			if strings.HasPrefix(arg, "--") && !strings.Contains(help, arg) {
				lacking = append(lacking, arg)
			}
		}
		if len(lacking) > 0 {
			return "its help does not tell of " + strings.Join(lacking, ", ") + "; it begins: " + short(help)
		}
		return ""
	}
	unknown := func(context.Context) string { return "it works with an account alone, so that is not tried" }
	return judge(ctx, []clause{
		{"it knows the options that it is started with", Must, knows},
		{"it does what it is told, and hands it in", Comfort, unknown},
	}), nil
}
