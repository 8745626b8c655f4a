package voyage

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	gosync "sync"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/helm/rights"
	"ocaptain/fleet/proto"
	"ocaptain/fleet/retry"
	"ocaptain/tasks"
)

// simulated is an agent of a simulation, or its captain.
type simulated struct {
	*simulation
	name   string
	number int
	random *rand.Rand
}

// one reports true once in so many times; never when nothing is random.
func (a *simulated) one(in int) bool { return a.seed != 0 && a.random.IntN(in) == 0 }

// ask has the ship ask helm, again at random: the answer was lost. It fails when helm ends meanwhile.
func (a *simulated) ask(fn func(ctx context.Context, l *life, s *Ship) error) error {
	l := a.begun()
	if l == nil {
		return context.Canceled
	}
	defer l.calls.Done()
	s, err := l.v.ShipNamed(a.name)
	if err != nil {
		return err
	}
	for {
		if err = fn(l.ctx, l, s); err != nil || !a.one(6) {
			return err
		}
	}
}

// each waits for a task to claim, claims it and does it, until all is over.
func (a *simulated) each(do func(g proto.Grant)) {
	for !a.isOver() {
		var verdict proto.Verdict
		var news <-chan struct{}
		err := a.ask(func(ctx context.Context, l *life, s *Ship) (err error) {
			news = l.v.News.Next()
			verdict, err = s.wait(ctx, proto.WaitRequest{})
			return err
		})
		if err != nil {
			continue
		}
		if verdict.Act == proto.ActRest {
			select {
			case <-news:
			case <-a.over:
			}
			continue
		}
		switch g, err := a.claim(""); {
		case err != nil:
		case a.around != nil:
			a.around(a, g, do)
		default:
			do(g)
		}
	}
}

func (a *simulated) isOver() bool {
	select {
	case <-a.over:
		return true
	default:
		return false
	}
}

func (a *simulated) claim(task string) (g proto.Grant, err error) {
	err = a.ask(func(ctx context.Context, _ *life, s *Ship) (err error) {
		began := time.Now()
		if g, err = s.claim(ctx, s.v.Requests.Claim, proto.ClaimRequest{Task: task}); err == nil && a.claimed != nil {
			a.claimed(a, time.Since(began))
		}
		return err
	})
	return g, err
}

// refused has the ship ask for what it must not get.
func (a *simulated) refused(what string, fn func(ctx context.Context, l *life, s *Ship) error) {
	if a.ask(fn) == nil {
		a.t.Errorf("%s: %s, and was not refused", a.name, what)
	}
}

// yes is an approval.
func yes() []byte { return tasks.ReviewJSON(true, "fine") }

// plan breaks down epics, now and then with what can't be used or not in its name.
func (a *simulated) plan() {
	a.each(func(g proto.Grant) {
		if a.one(10) {
			a.die(proto.Claim{Task: g.Task.ID, Epoch: g.Epoch}, a.one(2))
			return
		}
		parts, mine := a.breakdown(), proto.Claim{Task: g.Task.ID, Epoch: g.Epoch}
		hand := func(c proto.Claim, raw string) func(ctx context.Context, _ *life, s *Ship) error {
			return func(ctx context.Context, _ *life, s *Ship) error {
				_, err := s.v.Requests.Plan(ctx, s.Ship, proto.PlanRequest{Claim: c, Tasks: []byte(raw)})
				return err
			}
		}
		if a.one(3) {
			a.refused("an old epoch", hand(proto.Claim{Task: mine.Task, Epoch: mine.Epoch - 1}, parts))
			a.refused("a cycle", hand(mine, `{"tasks": [{"title": "a", "depends_on": ["b"]}, {"title": "b", "depends_on": ["a"]}]}`))
		}
		if a.ask(hand(mine, parts)) == nil && a.one(3) {
			a.refused("other parts", hand(mine, `{"tasks": [{"title": "another"}]}`))
		}
	})
}

// breakdown is the parts of an epic: they wait for one another at random, and some are in groups.
func (a *simulated) breakdown() string {
	type part struct {
		Title string   `json:"title"`
		On    []string `json:"depends_on,omitempty"`
		Group string   `json:"group,omitempty"`
	}
	var all []part
	for i := range a.parts {
		p := part{Title: fmt.Sprint("part ", i)}
		for range a.random.IntN(min(i, 2) + 1) {
			if a.seed != 0 {
				p.On = append(p.On, fmt.Sprint("part ", a.random.IntN(i)))
			}
		}
		if a.one(6) {
			p.Group = fmt.Sprint("group ", i/4)
		}
		all = append(all, p)
	}
	raw, _ := json.Marshal(map[string]any{"tasks": all})
	return string(raw)
}

// toil does tasks.
func (a *simulated) toil() {
	a.each(func(g proto.Grant) {
		if g.Review || g.Task.Type() == tasks.Epic {
			a.t.Errorf("%s got task %s", a.name, g.Task.ID)
		}
		if a.one(4) {
			a.meddle(g)
		}
		if a.one(15) {
			a.die(proto.Claim{Task: g.Task.ID, Epoch: g.Epoch}, a.one(2))
			return
		}
		_ = retry.Sleep(context.Background(), a.work)
		for !a.isOver() {
			a.edit(g.Task)
			if a.one(15) {
				a.dieIn(proto.Claim{Task: g.Task.ID, Epoch: g.Epoch})
				return
			}
			if a.one(30) {
				_ = a.ask(func(ctx context.Context, _ *life, s *Ship) error {
					_, err := s.v.Requests.Release(ctx, s.Ship, proto.ReleaseRequest{Claim: proto.Claim{Task: g.Task.ID, Epoch: g.Epoch}, Reason: "no"})
					return err
				})
				return
			}
			if err := a.complete(proto.Claim{Task: g.Task.ID, Epoch: g.Epoch}); !isConflict(err) {
				return
			}
		}
	})
}

func (a *simulated) complete(c proto.Claim) error {
	return a.ask(func(ctx context.Context, _ *life, s *Ship) error {
		_, err := s.v.Requests.Complete(ctx, s.Ship, proto.CompleteRequest{Claim: c})
		return err
	})
}

// edit writes the task's own file, and for some tasks a line into a file that all tasks of an epic write. Now and then the
// result is bad, or red.
func (a *simulated) edit(t tasks.Task) {
	tree := a.newestTree(a.name)
	own, shared := t.ID, ""
	if raw, err := os.ReadFile(filepath.Join(tree, "shared", t.Parent())); err == nil {
		shared = string(raw)
	}
	if a.one(20) {
		own = "bad"
	}
	_ = os.Remove(filepath.Join(tree, "red"))
	if a.one(30) {
		a.write("red", "")
	}
	a.write(filepath.Join("tasks", t.ID), own)
	if !strings.HasSuffix(t.ID, "3") || a.seed == 0 {
		return
	}
	lines := []string{t.ID}
	for l := range strings.Lines(shared) { // what both sides of a conflict have
		if l = strings.TrimSpace(l); l != t.ID && !strings.ContainsAny(l, "<=>|") {
			lines = append(lines, l)
		}
	}
	a.write(filepath.Join("shared", t.Parent()), strings.Join(lines, "\n")+"\n")
}

func (a *simulated) write(name, text string) {
	path := filepath.Join(a.newestTree(a.name), name)
	err := os.MkdirAll(filepath.Dir(path), 0o755)
	if err = errors.Join(err, os.WriteFile(path, []byte(text), 0o644)); err != nil {
		a.t.Error(err)
	}
}

// meddle has a worker ask for what is not its to get.
func (a *simulated) meddle(g proto.Grant) {
	a.refused("an approval", func(ctx context.Context, l *life, s *Ship) error {
		id, epoch := g.Task.ID, g.Epoch
		if t := l.some(a.random, (*tasks.State).InReview); t != nil {
			id, epoch = t.ID, t.Epoch
		}
		_, err := s.v.Requests.TakeReview(ctx, s.Ship, proto.ReviewRequest{Claim: proto.Claim{Task: id, Epoch: epoch}, Review: yes()})
		return err
	})
	a.refused("a claim beside its own", func(ctx context.Context, l *life, s *Ship) error {
		t := l.some(a.random, func(t *tasks.State) bool { return t.ID != g.Task.ID })
		_, err := s.claim(ctx, s.v.Requests.Claim, proto.ClaimRequest{Task: t.ID})
		if has := l.v.state(g.Task.ID); has.Owner != a.name || has.Epoch != g.Epoch {
			return errors.New("its own was taken away before")
		}
		return err
	})
	a.refused("the completion of another's", func(ctx context.Context, l *life, s *Ship) error {
		t := l.some(a.random, func(t *tasks.State) bool {
			return t.Parent() != "" && t.Owner != a.name && (t.HandIn == nil || t.HandIn.Owner != a.name)
		})
		if t == nil {
			return errors.New("there is none")
		}
		_, err := s.v.Requests.Complete(ctx, s.Ship, completion(t))
		return err
	})
	a.refused("parts of its task with an old epoch", func(ctx context.Context, _ *life, s *Ship) error {
		_, err := s.v.Requests.Plan(ctx, s.Ship, proto.PlanRequest{Claim: proto.Claim{Task: g.Task.ID, Epoch: g.Epoch - 1}, Tasks: []byte(`{"tasks": [{"title": "x"}]}`)})
		return err
	})
}

// die ends the agent, or its machine too, and proves that: what it held is taken back. Its late words count for nothing.
func (a *simulated) die(c proto.Claim, machine bool) {
	l := a.begun()
	if l == nil {
		return
	}
	defer l.calls.Done()
	a.mu.Lock()
	a.deaths++
	a.mu.Unlock()
	s, err := l.v.ShipNamed(a.name)
	if err != nil {
		a.t.Error(err)
		return
	}
	if machine {
		s.Stop()
		_ = os.RemoveAll(s.Remote.(served).dir + "/.git") // in the middle of whatever goes on there
	}
	if s.Busy.Lock(l.ctx) != nil {
		return // with helm: it comes back as an agent that was cut off
	}
	err = l.v.claims.Reclaim(rights.Provider, a.name, "it is gone")
	s.Busy.Unlock()
	if err != nil && l.ctx.Err() == nil {
		a.t.Error(err)
	}
	if _, err := s.v.Requests.Complete(l.ctx, s.Ship, proto.CompleteRequest{Claim: c}); err == nil {
		if t := l.v.state(c.Task); t.HandIn == nil || t.HandIn.Owner != a.name {
			a.t.Errorf("%s died, and completes task %s", a.name, c.Task)
		}
	}
	if machine {
		changes(l.v, func() { l.v.ships[a.name] = a.board(l.v, l.v.Roster.Ship(a.name), a.newTree(a.name)) })
	}
}

// dieIn ends the agent in the middle of a completion.
func (a *simulated) dieIn(c proto.Claim) {
	var last gosync.WaitGroup
	last.Go(func() { _ = a.complete(c) }) // in time or late
	a.die(c, a.random.IntN(2) == 0)
	last.Wait()
}

// validate reviews. Without a seed all are honest; else the second approves without looking, and the third always rejects.
func (a *simulated) validate() {
	a.each(func(g proto.Grant) {
		mine := proto.Claim{Task: g.Task.ID, Epoch: g.Epoch}
		if a.one(25) {
			a.die(proto.Claim{Task: g.Task.ID, Epoch: g.Epoch}, a.one(2))
			return
		}
		if a.one(10) {
			a.refused("an old epoch", func(ctx context.Context, _ *life, s *Ship) error {
				_, err := s.v.Requests.TakeReview(ctx, s.Ship, proto.ReviewRequest{Claim: proto.Claim{Task: mine.Task, Epoch: mine.Epoch - 1}, Review: yes()})
				return err
			})
		}
		_ = retry.Sleep(context.Background(), a.work/10)
		_ = a.ask(func(ctx context.Context, l *life, s *Ship) error {
			_, err := s.v.Requests.TakeReview(ctx, s.Ship, proto.ReviewRequest{Claim: mine, Review: tasks.ReviewJSON(a.approves(l, g.Task.ID), "it is so")})
			return err
		})
	})
}

// approves is what a validator says. Some tasks are rejected by all, until the captain has had them tried again.
func (a *simulated) approves(l *life, task string) bool {
	raw, _ := os.ReadFile(filepath.Join(a.newestTree(a.name), "tasks", task))
	good := string(raw) == task
	if a.seed == 0 {
		return good
	}
	if strings.HasSuffix(task, "-7") {
		events, _ := l.v.Store.History(l.ctx, task)
		again := false
		for _, e := range events {
			again = again || strings.HasPrefix(e.Reason, byCaptain)
		}
		return again && good
	}
	return a.number%4 == 2 || a.number%4 != 3 && good
}

const byCaptain = "requeued by the captain"

// command is the captain: what is on hold is tried again, and now and then what is not. Helm is closed at random. The last epic
// is added when something is done.
func (a *simulated) command() {
	defer close(a.over)
	for seq := uint64(0); ; {
		l := a.begun()
		news := l.v.News.Next()
		phase := reads(l.v, func() fleet.Phase { return l.v.Roster.Now().Phase })
		all := l.v.Store.Snapshot()
		epics := 0
		for _, t := range all.Tasks {
			if t.Type() == tasks.Epic {
				epics++
			}
			if t.OnHold || a.one(20000) && t.Status != tasks.Completed {
				_, _ = l.v.Captain.Requeue(l.ctx, api.RequeueRequest{Task: t.ID})
			}
		}
		if epics < a.epics && l.some(a.random, func(t *tasks.State) bool { return t.Status == tasks.Completed && !t.Internal() }) != nil {
			if _, err := l.v.Captain.AddEpic(l.ctx, api.EpicRequest{Text: "one more", Priority: 2}); err != nil {
				a.t.Error(err)
			}
		}
		l.calls.Done()
		if phase == fleet.Complete && epics == a.epics {
			return
		}
		if all.Seq > seq && a.one(a.parts*a.epics*3) {
			a.close()
			a.open()
			a.restarts++
			continue
		}
		seq = all.Seq
		<-news
	}
}
