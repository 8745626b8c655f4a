package helm

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	gosync "sync"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/helm/supervise"
)

// routes is the whole interface of helm.
func (h *Helm) routes() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v1/hello", answer(h.answerHello))
	mux.HandleFunc("GET /v1/alive", h.holdOpen)
	mux.HandleFunc("POST /v1/stop", answer(func(*http.Request) (any, error) {
		if err := supervise.MarkStopped(h.hub); err != nil {
			return nil, err // the guard would start it again
		}
		h.stop() // the server ends when this is answered
		return nil, nil
	}))
	on := func(pattern string, fn func(*voyage, *http.Request) (any, error)) {
		mux.HandleFunc(pattern, answer(func(r *http.Request) (any, error) {
			v, err := h.voyage(r.PathValue("voyage"))
			if err != nil {
				return nil, err
			}
			out, err := fn(v, r)
			v.book.Flush()
			return out, err
		}))
	}
	long := func(pattern string, fn func(context.Context, *voyage, *http.Request, func(api.Progress)) error) {
		mux.HandleFunc(pattern, progress(func(ctx context.Context, r *http.Request, report func(api.Progress)) error {
			v, err := h.voyage(r.PathValue("voyage"))
			if err != nil {
				return err
			}
			defer v.book.Flush()
			return fn(ctx, v, r, report)
		}))
	}
	const one = "/v1/voyages/{voyage}"
	on("GET "+one+"/board", func(v *voyage, _ *http.Request) (any, error) { return v.currentBoard(), nil })
	on("POST "+one+"/release", func(v *voyage, r *http.Request) (any, error) {
		var in api.ReleaseRequest
		if err := read(r, &in); err != nil {
			return nil, err
		}
		return nil, v.chooseRelease(in)
	})
	on("POST "+one+"/requeue", func(v *voyage, r *http.Request) (any, error) {
		var in api.RequeueRequest
		if err := read(r, &in); err != nil {
			return nil, err
		}
		return v.requeue(r.Context(), in)
	})
	on("POST "+one+"/cancel", func(v *voyage, r *http.Request) (any, error) {
		var in api.CancelRequest
		if err := read(r, &in); err != nil {
			return nil, err
		}
		return nil, v.cancel(r.Context(), in)
	})
	on("POST "+one+"/dispatch", func(v *voyage, r *http.Request) (any, error) {
		var in api.DispatchRequest
		if err := read(r, &in); err != nil {
			return nil, err
		}
		return v.dispatch(r.Context(), in)
	})
	on("POST "+one+"/epics", func(v *voyage, r *http.Request) (any, error) {
		var in api.EpicRequest
		if err := read(r, &in); err != nil {
			return nil, err
		}
		return v.addEpic(r.Context(), in)
	})
	on("POST "+one+"/ships/{ship}/drain", func(v *voyage, r *http.Request) (any, error) {
		return nil, v.drain(r.PathValue("ship"))
	})
	on("POST "+one+"/decide", func(v *voyage, r *http.Request) (any, error) {
		var in api.DecideRequest
		if err := read(r, &in); err != nil {
			return nil, err
		}
		return nil, v.decide(r.Context(), in)
	})
	on("POST "+one+"/proposal", func(v *voyage, r *http.Request) (any, error) {
		var in api.ProposalRequest
		if err := read(r, &in); err != nil {
			return nil, err
		}
		return v.decideProposal(r.Context(), in)
	})
	on("POST "+one+"/ships/{ship}/say", func(v *voyage, r *http.Request) (any, error) {
		var in api.SayRequest
		if err := read(r, &in); err != nil {
			return nil, err
		}
		return v.send(r.Context(), r.PathValue("ship"), in)
	})
	on("POST "+one+"/ships/{ship}/interrupt", func(v *voyage, r *http.Request) (any, error) {
		s, err := v.shipNamed(r.PathValue("ship"))
		if err != nil {
			return nil, err
		}
		return s.interrupt(r.Context())
	})
	on("POST "+one+"/look", func(v *voyage, r *http.Request) (any, error) {
		var in api.LookRequest
		if err := read(r, &in); err != nil {
			return nil, err
		}
		return v.bringHome(r.Context(), in.Ships), nil
	})
	on("POST "+one+"/ships/{ship}/keep-ignored", func(v *voyage, r *http.Request) (any, error) {
		s, err := v.shipNamed(r.PathValue("ship"))
		if err != nil {
			return nil, err
		}
		return s.keepIgnored(r.Context())
	})
	mux.HandleFunc("POST "+one+"/ships/{ship}/dial", h.dialShip)
	mux.HandleFunc("POST /v1/tailnet/{host}/{port}/dial", h.dialNet)
	long("POST "+one+"/sail", func(ctx context.Context, v *voyage, r *http.Request, report func(api.Progress)) error {
		var in api.SailRequest
		if err := read(r, &in); err != nil {
			return err
		}
		return v.provisionFirst(ctx, in, report)
	})
	long("POST "+one+"/ships", func(ctx context.Context, v *voyage, r *http.Request, report func(api.Progress)) error {
		var in api.AddRequest
		if err := read(r, &in); err != nil {
			return err
		}
		return v.add(ctx, in, report)
	})
	long("POST "+one+"/ships/{ship}/remove", func(ctx context.Context, v *voyage, r *http.Request, report func(api.Progress)) error {
		return v.remove(ctx, r.PathValue("ship"), report)
	})
	long("POST "+one+"/ships/{ship}/replace", func(ctx context.Context, v *voyage, r *http.Request, report func(api.Progress)) error {
		return v.replace(ctx, r.PathValue("ship"), report)
	})
	long("POST "+one+"/verify", func(ctx context.Context, v *voyage, r *http.Request, report func(api.Progress)) error {
		var in api.VerifyRequest
		if err := read(r, &in); err != nil {
			return err
		}
		return v.verifyNow(ctx, in, report)
	})
	mux.HandleFunc("POST "+one+"/sink", progress(h.sink))
	h.sweepRoutes(mux)
	return mux
}

// sink sinks a voyage, also one that is damaged, or whose directory is gone.
func (h *Helm) sink(ctx context.Context, r *http.Request, report func(api.Progress)) error {
	d, err := fleet.Voyages(h.hub.Voyages).Find(r.PathValue("voyage"))
	if err != nil {
		gone, e := h.machines.GoneVoyage(h.hub.Voyages, r.PathValue("voyage"))
		if e != nil || gone == "" {
			return errors.Join(err, e)
		}
		h.mu.Lock()
		v := h.voyages[gone]
		h.mu.Unlock()
		if v != nil { // helm has all of it still
			return v.sink(ctx, report)
		}
		report(api.Progress{State: api.StepNote, Text: "the directory of " + gone + " is gone; what this install remembers of its machines is destroyed"})
		return h.sinkDamaged(fleet.Dir(filepath.Join(h.hub.Voyages, gone)), report)
	}
	v, err := h.open(d)
	if err != nil && h.ctx.Err() == nil {
		report(api.Progress{State: api.StepNote, Text: err.Error()})
		return h.sinkDamaged(d, report)
	}
	if err != nil {
		return err
	}
	if err := v.sink(ctx, report); err != nil {
		return err
	}
	h.forget(v)
	return nil
}

func (h *Helm) answerHello(*http.Request) (any, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	out := api.Hello{API: api.API, Build: h.bin.Digest, Made: h.bin.Made, Version: supervise.Version, PID: os.Getpid(), Since: h.began, Install: h.install, Voyages: []string{}}
	out.Voyages = slices.AppendSeq(out.Voyages, maps.Keys(h.voyages))
	slices.Sort(out.Voyages)
	out.Damaged = maps.Clone(h.damaged)
	return out, nil
}

// dialShip connects the client to a ship's SSH server.
func (h *Helm) dialShip(w http.ResponseWriter, r *http.Request) {
	var s *ship
	far, err := func() (_ io.ReadWriteCloser, err error) {
		v, err := h.voyage(r.PathValue("voyage"))
		if err != nil {
			return nil, err
		}
		if s, err = v.shipNamed(r.PathValue("ship")); err != nil {
			return nil, err
		}
		ctx, cancel := context.WithTimeout(r.Context(), 20*time.Second)
		defer cancel()
		return s.dialSSH(ctx)
	}()
	if err != nil {
		api.WriteError(w, err)
		return
	}
	if file, end, ok := passable(far); ok {
		passConnection(w, file, end)
	} else {
		splice(w, far, false)
	}
	s.copySoon() // the captain may have worked there
}

// parting is how long a ship's SSH server has to end when the client has said all.
const parting = 10 * time.Second

// splice joins a client with the connection that was dialled for it. When the client says no more the other side
// is told so, and without half has only a moment left; where that can't be done, of which the client learns, the
// connection ends.
func splice(w http.ResponseWriter, far io.ReadWriteCloser, half bool) {
	defer far.Close()
	w.Header().Set("Connection", "Upgrade")
	w.Header().Set("Upgrade", "ssh")
	if !canCloseWrite(far) {
		w.Header().Set(api.WholeHeader, "true")
	}
	w.WriteHeader(http.StatusSwitchingProtocols)
	near, buf, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return
	}
	defer near.Close()
	var both gosync.WaitGroup
	var last *time.Timer
	both.Go(func() {
		_, _ = io.Copy(far, buf)
		if !closeWrite(far) {
			_ = far.Close()
		} else if !half {
			last = time.AfterFunc(parting, func() { _ = far.Close() })
		}
	})
	both.Go(func() { _, _ = io.Copy(near, far); _ = near.Close() })
	both.Wait()
	if last != nil {
		last.Stop()
	}
}

func read(r *http.Request, v any) error {
	return json.NewDecoder(io.LimitReader(r.Body, 8<<20)).Decode(v)
}

// answer writes what fn returns as JSON.
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

// progress writes what fn reports, a line each, and its end. The request's
// context ends when the client goes away.
func progress(fn func(context.Context, *http.Request, func(api.Progress)) error) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(io.LimitReader(r.Body, 8<<20)) // else the server does not notice that the client left
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
			_ = flush.SetWriteDeadline(p.At.Add(10 * time.Second)) // one that does not read has left
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
