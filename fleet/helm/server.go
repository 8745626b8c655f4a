package helm

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	gosync "sync"
	"time"

	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/helm/supervise"
	"ocaptain/fleet/helm/voyage"
)

// routes returns the handler for all requests to helm.
func (h *Helm) routes() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v1/hello", answer(h.answerHello))
	mux.HandleFunc("GET /v1/alive", h.holdOpen)
	mux.HandleFunc("POST /v1/stop", answer(func(*http.Request) (any, error) {
		if err := supervise.MarkStopped(h.hub); err != nil {
			return nil, err // otherwise the supervisor would start helm again
		}
		h.stop() // the server ends once this request is answered
		return nil, nil
	}))
	mux.HandleFunc("GET "+voyagePath+"/board", answer(func(r *http.Request) (any, error) {
		v, err := h.set.Voyage(r.PathValue("voyage"))
		if err != nil {
			return nil, err
		}
		return v.Board(), nil
	}))
	mux.HandleFunc("POST "+voyagePath+"/rm", answer(func(r *http.Request) (any, error) {
		return nil, h.set.Remove(r.Context(), r.PathValue("voyage"))
	}))
	mux.HandleFunc("POST "+voyagePath+"/ships/{ship}/dial", h.dialShip)
	mux.HandleFunc("POST /v1/tailnet/{host}/{port}/dial", h.dialNet)
	mux.HandleFunc("POST "+voyagePath+"/sink", progress(func(ctx context.Context, r *http.Request, report func(api.Progress)) error {
		return h.set.Sink(ctx, r.PathValue("voyage"), report)
	}))
	h.sweepRoutes(mux)
	r := &router{h, mux}
	posts(r, "/release", func(_ context.Context, v *voyage.Voyage, _ string, in api.ReleaseRequest) (any, error) {
		return nil, v.Fit.ChooseRelease(in)
	})
	posts(r, "/requeue", func(ctx context.Context, v *voyage.Voyage, _ string, in api.RequeueRequest) (any, error) {
		return v.Captain.Requeue(ctx, in)
	})
	posts(r, "/revert", func(ctx context.Context, v *voyage.Voyage, _ string, in api.RevertRequest) (any, error) {
		return v.Captain.Revert(ctx, in)
	})
	posts(r, "/edit", func(ctx context.Context, v *voyage.Voyage, _ string, in api.EditRequest) (any, error) {
		return v.Captain.Edit(ctx, in)
	})
	posts(r, "/split", func(ctx context.Context, v *voyage.Voyage, _ string, in api.SplitRequest) (any, error) {
		return v.Captain.Split(ctx, in)
	})
	posts(r, "/pause", func(_ context.Context, v *voyage.Voyage, _ string, in api.PauseRequest) (any, error) {
		return nil, v.Pauses.Pause(in)
	})
	posts(r, "/resume", func(_ context.Context, v *voyage.Voyage, _ string, in api.ResumeRequest) (any, error) {
		return v.Pauses.Unpause(in.Ships)
	})
	posts(r, "/budget", func(_ context.Context, v *voyage.Voyage, _ string, in api.BudgetRequest) (any, error) {
		return v.Pauses.SetBudget(in)
	})
	posts(r, "/tree/go-on", func(ctx context.Context, v *voyage.Voyage, _ string, _ struct{}) (any, error) {
		return nil, v.Tree.GoOn(ctx)
	})
	posts(r, "/tree/flush", func(ctx context.Context, v *voyage.Voyage, _ string, _ struct{}) (any, error) {
		return v.Requests.FlushTree(ctx)
	})
	posts(r, "/tree/restore", func(ctx context.Context, v *voyage.Voyage, _ string, in api.RestoreRequest) (any, error) {
		return v.Tree.Restore(ctx, in)
	})
	posts(r, "/repair", func(ctx context.Context, v *voyage.Voyage, _ string, in api.RepairRequest) (any, error) {
		return v.Sharing.Repair(ctx, in)
	})
	posts(r, "/settle", func(ctx context.Context, v *voyage.Voyage, _ string, in api.SettleRequest) (any, error) {
		return v.Requests.SettleTree(ctx, in)
	})
	posts(r, "/cancel", func(ctx context.Context, v *voyage.Voyage, _ string, in api.CancelRequest) (any, error) {
		return nil, v.Captain.Cancel(ctx, in)
	})
	posts(r, "/dispatch", func(ctx context.Context, v *voyage.Voyage, _ string, in api.DispatchRequest) (any, error) {
		return v.Dispatcher.Dispatch(ctx, in)
	})
	posts(r, "/epics", func(ctx context.Context, v *voyage.Voyage, _ string, in api.EpicRequest) (any, error) {
		return v.Captain.AddEpic(ctx, in)
	})
	posts(r, "/decide", func(ctx context.Context, v *voyage.Voyage, _ string, in api.DecideRequest) (any, error) {
		return nil, v.Captain.Decide(ctx, in)
	})
	posts(r, "/proposal", func(ctx context.Context, v *voyage.Voyage, _ string, in api.ProposalRequest) (any, error) {
		return v.Captain.DecideProposal(ctx, in)
	})
	posts(r, "/look", func(ctx context.Context, v *voyage.Voyage, _ string, in api.LookRequest) (any, error) {
		v.Requests.BringHome(ctx, in.Ships)
		return v.Board(), nil
	})
	posts(r, "/ships/{ship}/drain", func(_ context.Context, v *voyage.Voyage, ship string, _ struct{}) (any, error) {
		return nil, v.Fit.Drain(ship)
	})
	posts(r, "/ships/{ship}/say", func(ctx context.Context, v *voyage.Voyage, ship string, in api.SayRequest) (any, error) {
		return v.Send(ctx, ship, in)
	})
	posts(r, "/ships/{ship}/interrupt", func(ctx context.Context, v *voyage.Voyage, ship string, _ struct{}) (any, error) {
		s, err := v.ShipNamed(ship)
		if err != nil {
			return nil, err
		}
		return s.Interrupt(ctx)
	})
	posts(r, "/ships/{ship}/keep-ignored", func(ctx context.Context, v *voyage.Voyage, ship string, _ struct{}) (any, error) {
		s, err := v.ShipNamed(ship)
		if err != nil {
			return nil, err
		}
		return s.KeepIgnored(ctx)
	})
	streams(r, "/sail", func(ctx context.Context, v *voyage.Voyage, _ string, in api.SailRequest, report func(api.Progress)) error {
		return v.Fit.ProvisionFirst(ctx, in, report)
	})
	streams(r, "/ships", func(ctx context.Context, v *voyage.Voyage, _ string, in api.AddRequest, report func(api.Progress)) error {
		return v.Fit.Add(ctx, in, report)
	})
	streams(r, "/ships/{ship}/remove", func(ctx context.Context, v *voyage.Voyage, ship string, _ struct{}, report func(api.Progress)) error {
		return v.Fit.Remove(ctx, ship, report)
	})
	streams(r, "/ships/{ship}/replace", func(ctx context.Context, v *voyage.Voyage, ship string, _ struct{}, report func(api.Progress)) error {
		return v.Fit.Replace(ctx, ship, report)
	})
	streams(r, "/verify", func(ctx context.Context, v *voyage.Voyage, _ string, in api.VerifyRequest, report func(api.Progress)) error {
		return v.Verifier.Now(ctx, in, report)
	})
	return mux
}

const voyagePath = "/v1/voyages/{voyage}"

type router struct {
	helm *Helm
	mux  *http.ServeMux
}

// posts adds a route for requests about a voyage or one of its ships. The answer is sent only once the journal holds what it
// promises.
func posts[T any](to *router, path string, fn func(ctx context.Context, v *voyage.Voyage, ship string, in T) (any, error)) {
	to.mux.HandleFunc("POST "+voyagePath+path, answer(func(r *http.Request) (any, error) {
		v, in, err := asked[T](to.helm, r)
		if err != nil {
			return nil, err
		}
		out, err := fn(r.Context(), v, r.PathValue("ship"), in)
		v.Book.Flush()
		return out, err
	}))
}

// streams is posts for requests that report progress.
func streams[T any](to *router, path string, fn func(ctx context.Context, v *voyage.Voyage, ship string, in T, report func(api.Progress)) error) {
	to.mux.HandleFunc("POST "+voyagePath+path, progress(func(ctx context.Context, r *http.Request, report func(api.Progress)) error {
		v, in, err := asked[T](to.helm, r)
		if err != nil {
			return err
		}
		defer v.Book.Flush()
		return fn(ctx, v, r.PathValue("ship"), in, report)
	}))
}

// asked returns the voyage that a request is about, and its decoded body; if T is struct{}, there is no body.
func asked[T any](h *Helm, r *http.Request) (v *voyage.Voyage, in T, err error) {
	if v, err = h.set.Voyage(r.PathValue("voyage")); err != nil {
		return nil, in, err
	}
	if _, nothing := any(in).(struct{}); !nothing {
		err = read(r, &in)
	}
	return v, in, err
}

func (h *Helm) answerHello(*http.Request) (any, error) {
	open, damaged := h.set.Names()
	return api.Hello{
		API: api.API, Build: h.bin.Digest, Made: h.bin.Made, Version: supervise.Version, PID: os.Getpid(), Since: h.began,
		Install: h.set.Install, Voyages: append([]string{}, open...), Damaged: damaged,
	}, nil
}

// parting is how long a ship's SSH server may take to end after the client has ended its input.
const parting = 10 * time.Second

func read(r *http.Request, v any) error {
	return json.NewDecoder(io.LimitReader(r.Body, 8<<20)).Decode(v)
}

// answer returns a handler that writes the result of fn as JSON.
func answer(fn func(*http.Request) (any, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		out, err := fn(r)
		if err != nil {
			api.WriteError(w, err)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(out)
	}
}

// progress returns a handler that writes what fn reports, one line each, and the result. The request's context ends
// when the client leaves.
func progress(fn func(context.Context, *http.Request, func(api.Progress)) error) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(io.LimitReader(r.Body, 8<<20)) // otherwise the server does not notice that the client has left
		if err != nil {
			api.WriteError(w, err)
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		w.Header().Set("Content-Type", "application/x-ndjson")
		var mu gosync.Mutex
		enc, flush := json.NewEncoder(w), http.NewResponseController(w)
		write := func(p api.Progress) {
			mu.Lock()
			defer mu.Unlock()
			p.At = time.Now()
			_ = flush.SetWriteDeadline(p.At.Add(10 * time.Second)) // a client that does not read counts as gone
			_ = enc.Encode(p)
			_ = flush.Flush()
		}
		if err := fn(r.Context(), r, write); err != nil {
			write(api.Progress{Error: err.Error()})
			return
		}
		write(api.Progress{Done: true})
	}
}
