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
)

// Preview is what can be told of a wish at once: it was read on this machine alone. Its texts
// are fit to be shown.
type Preview struct {
	Plan     bool          // there is a plan that could be read, perhaps with defects
	Name     string        // of the plan
	About    string        // its objective
	Tasks    int           // how many
	Levels   int           // how many of them follow each other
	Chain    int           // tasks on the longest chain
	Takes    time.Duration // that the chain is thought to take, 0 when the plan does not say
	Errors   []Defect      // for which the plan cannot sail
	Warnings []Defect

	Ships, Provider, Agent, Model, Repo, MaxAge, MaxCost, Sink, Sync Choice

	Bring bring.Chosen // files of the checkout that git ignores and ships get

	Agents []string // that can be chosen, the captain's own too

	// Problems are the problems that Check would find, in the same order. Problems that need the
	// network, or a look at this machine's walls, come to light in Check alone.
	Problems []*Problem
}

// Choice is what holds when the captain says nothing else, or what was said.
type Choice struct {
	Value string // "" for none
	From  string // you, the plan, default, or where in the configuration
}

// Defect is one thing that is wrong with a plan.
type Defect struct{ What, Fix string }

// Preview reads the wish without any network and without making anything.
func (y Yard) Preview(w Wish) Preview {
	d := y.newDraft(w)
	var p Preview
	for _, step := range d.localChecks() {
		if problem := step(); problem != nil {
			p.Problems = append(p.Problems, problem)
		}
	}
	var no *Problem
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
	switch p.Repo = (Choice{clean.Line(o.Repo.String()), "you"}); {
	case w.Repo != "":
	case p.Plan:
		p.Repo.From = "the plan"
	default:
		p.Repo.From = "default"
	}
	return p
}

// describe tells the plan's shape and its defects.
func (p *Preview) describe(o *Order) {
	g := o.Plan.Graph
	p.Plan = len(o.Plan.Tasks) > 0 || o.Plan.Objective != ""
	p.Name, p.About = clean.Line(o.Plan.Name), clean.Line(o.Plan.Objective)
	p.Tasks, p.Levels = len(g.Tasks()), len(g.Levels())
	chain, takes := g.Critical()
	p.Chain, p.Takes = len(chain), takes
	for _, one := range o.Defects {
		d := Defect{clean.Line(one.String()), clean.Line(one.Fix)}
		if one.Severity == planfile.Error {
			p.Errors = append(p.Errors, d)
		} else {
			p.Warnings = append(p.Warnings, d)
		}
	}
}

// sourceOf says in words where a setting comes from.
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
