package launch

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"ocaptain/tasks/planfile"

	"ocaptain/fleet"
	"ocaptain/fleet/clean"
	"ocaptain/ui/bring"
	"ocaptain/ui/launch/problem"
)

// Preview is what a wish means, as far as this machine alone can tell at once. Its texts are clean to show.
type Preview struct {
	Plan     bool             // a plan could be read, perhaps with defects
	Name     string           // name of the plan
	About    string           // objective of the plan
	Tasks    int              // number of tasks
	Levels   int              // number of levels of tasks that wait for each other
	Chain    int              // number of tasks on the longest chain
	Takes    time.Duration    // estimated time of the chain, 0 when the plan has no estimates
	Errors   []problem.Defect // defects that keep the plan from sailing
	Warnings []problem.Defect

	Ships, Provider, Agent, Model, Repo, MaxAge, MaxCost, Sink, Sync Choice

	Bring bring.Chosen // git-ignored files of the checkout that ships get

	Agents []string // agents that can be chosen, the captain's own included

	// Problems are the problems that CheckWish would find, in the same order, without problems that only the network or
	// this machine's sandbox shows.
	Problems []*problem.Problem
}

// Choice is a value that the captain gave, or else its default.
type Choice struct {
	Value string // "" for none
	From  string // you, the plan, default, or a place in the configuration
}

// Preview reads the wish without any network and without making anything.
func (y Yard) Preview(w Wish) Preview {
	d := y.newDraft(w)
	var p Preview
	for _, step := range d.localChecks() {
		if wrong := step(); wrong != nil {
			p.Problems = append(p.Problems, wrong)
		}
	}
	var no *problem.Problem
	if p.Bring, no = y.previewFiles(d); no != nil {
		p.Problems = append(p.Problems, no)
	}
	o := d.order
	p.Warnings = append(p.Warnings, o.Borrowed...)
	if o.Plan != nil {
		p.describe(o)
	}
	p.Ships = Choice{strconv.Itoa(o.Ships), d.sourceOf("default_ships")}
	switch {
	case w.Plan == "":
		p.Ships.From = "one without a plan"
	case d.config.Ships > 0:
	case p.Plan:
		p.Ships.From = "the plan"
	default:
		p.Ships.From = "default"
	}
	p.Provider = Choice{clean.Line(d.config.Provider), d.sourceOf("provider")}
	p.Agent = Choice{clean.Line(d.config.Agent), d.sourceOf("agent")}
	p.Agents = d.config.AgentNames()
	p.Model = Choice{clean.Line(o.Model), d.sourceOf("model")}
	p.MaxAge = Choice{fleet.FormatSpan(o.Guards.MaxAge), d.sourceOf("max_age")}
	if o.Guards.MaxAge == 0 {
		p.MaxAge.Value = "never"
	}
	p.MaxCost = Choice{"any sum", d.sourceOf("max_cost")}
	if most := o.Guards.MaxCost; most > 0 {
		p.MaxCost.Value = fmt.Sprintf("$%.2f", most)
	}
	p.Sink = Choice{d.config.Sink, d.sourceOf("sink")}
	p.Sync = d.wayChoice()
	switch p.Repo = (Choice{clean.Line(o.Work.Repo.String()), "you"}); {
	case w.Repo != "":
	case p.Plan:
		p.Repo.From = "the plan"
	default:
		p.Repo.From = "default"
	}
	return p
}

// describe adds the plan's shape and its defects.
func (p *Preview) describe(o *Order) {
	g := o.Plan.Graph
	p.Plan = len(o.Plan.Tasks) > 0 || o.Plan.Objective != ""
	p.Name, p.About = clean.Line(o.Plan.Name), clean.Line(o.Plan.Objective)
	p.Tasks, p.Levels = len(g.Tasks()), len(g.Levels())
	chain, takes := g.Critical()
	p.Chain, p.Takes = len(chain), takes
	for _, one := range o.Defects {
		d := problem.Defect{What: clean.Line(one.String()), Fix: clean.Line(one.Fix)}
		if one.Severity == planfile.Error {
			p.Errors = append(p.Errors, d)
		} else {
			p.Warnings = append(p.Warnings, d)
		}
	}
}

// sourceOf says in words where the value of a setting comes from.
func (d *draft) sourceOf(key string) string {
	from := d.config.SourceOf(key)
	if from == "flag" {
		return "you"
	}
	if home := d.yard.Hub.Home; home != "" {
		from = strings.Replace(from, home+"/", "~/", 1)
	}
	return clean.Line(from)
}
