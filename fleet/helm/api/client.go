package api

import (
	"context"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"time"

	"ocaptain/fleet"
)

// Client sends requests to helm.
type Client struct{ caller }

// Socket is the path of helm's socket.
func Socket(h fleet.Hub) string { return filepath.Join(h.Runtime, "helm.sock") }

// NewClient returns a client, which connects at its first request. It does not start helm; Ensure does.
func NewClient(h fleet.Hub) *Client {
	c := &Client{caller{socket: Socket(h)}}
	c.http = &http.Client{Transport: &http.Transport{
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			var d net.Dialer
			return d.DialContext(ctx, "unix", c.socket)
		},
		DisableKeepAlives: true, // after a hand-over, requests must go to the new helm
	}}
	return c
}

// Hello returns which helm answers. An error means that none does.
func (c *Client) Hello(ctx context.Context) (Hello, error) {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	var h Hello
	return h, c.callMethod(ctx, http.MethodGet, "/v1/hello", nil, &h)
}

// Stop ends helm and its supervisor. Ships go on working.
func (c *Client) Stop(ctx context.Context) error {
	return c.callMethod(ctx, http.MethodPost, "/v1/stop", nil, nil)
}

// Sail provisions the ships of the voyage and reports progress; if ctx ends before the voyage sails, helm undoes
// everything.
func (c *Client) Sail(ctx context.Context, voyage string, r SailRequest, report func(Progress)) error {
	return c.follow(ctx, "/v1/voyages/"+voyage+"/sail", r, report)
}

// AddShips adds ships to a voyage.
func (c *Client) AddShips(ctx context.Context, voyage string, r AddRequest, report func(Progress)) error {
	return c.follow(ctx, "/v1/voyages/"+voyage+"/ships", r, report)
}

// ChooseRelease chooses the version of an agent that new ships get.
func (c *Client) ChooseRelease(ctx context.Context, voyage string, r ReleaseRequest) error {
	return c.callMethod(ctx, http.MethodPost, "/v1/voyages/"+voyage+"/release", r, nil)
}

// RemoveShip destroys one ship; its task is requeued.
func (c *Client) RemoveShip(ctx context.Context, voyage, ship string, report func(Progress)) error {
	return c.follow(ctx, "/v1/voyages/"+voyage+"/ships/"+ship+"/remove", nil, report)
}

// ReplaceShip gives a ship a new machine.
func (c *Client) ReplaceShip(ctx context.Context, voyage, ship string, report func(Progress)) error {
	return c.follow(ctx, "/v1/voyages/"+voyage+"/ships/"+ship+"/replace", nil, report)
}

// Verify runs verify.sh on a ship, in a clean checkout of the voyage branch. A failed verification is an error; its
// output is in the reports.
func (c *Client) Verify(ctx context.Context, voyage string, r VerifyRequest, report func(Progress)) error {
	return c.follow(ctx, "/v1/voyages/"+voyage+"/verify", r, report)
}

// Sink destroys a voyage's ships and waits until they are gone.
func (c *Client) Sink(ctx context.Context, voyage string, report func(Progress)) error {
	return c.follow(ctx, "/v1/voyages/"+voyage+"/sink", nil, report)
}

// Requeue requeues a task and returns its state before.
func (c *Client) Requeue(ctx context.Context, voyage string, r RequeueRequest) (Requeued, error) {
	var was Requeued
	return was, c.callMethod(ctx, http.MethodPost, "/v1/voyages/"+voyage+"/requeue", r, &was)
}

// Revert reverts the work of a completed task, or says what that would revert.
func (c *Client) Revert(ctx context.Context, voyage string, r RevertRequest) (Reverted, error) {
	var out Reverted
	return out, c.callMethod(ctx, http.MethodPost, "/v1/voyages/"+voyage+"/revert", r, &out)
}

// RemoveVoyage removes everything on this machine about a sunk voyage.
func (c *Client) RemoveVoyage(ctx context.Context, voyage string) error {
	return c.callMethod(ctx, http.MethodPost, "/v1/voyages/"+voyage+"/rm", nil, nil)
}

// Edit changes a task, or adds a task.
func (c *Client) Edit(ctx context.Context, voyage string, r EditRequest) (Edited, error) {
	var out Edited
	return out, c.callMethod(ctx, http.MethodPost, "/v1/voyages/"+voyage+"/edit", r, &out)
}

// Split replaces a task by several.
func (c *Client) Split(ctx context.Context, voyage string, r SplitRequest) (Split, error) {
	var out Split
	return out, c.callMethod(ctx, http.MethodPost, "/v1/voyages/"+voyage+"/split", r, &out)
}

// Pause makes the agents of a voyage stop at the end of their turns, or at once.
func (c *Client) Pause(ctx context.Context, voyage string, r PauseRequest) error {
	return c.callMethod(ctx, http.MethodPost, "/v1/voyages/"+voyage+"/pause", r, nil)
}

// Resume ends the captain's pause of a voyage, or the pauses of some of its ships. The notes say what follows.
func (c *Client) Resume(ctx context.Context, voyage string, r ResumeRequest) ([]fleet.Note, error) {
	var notes []fleet.Note
	return notes, c.callMethod(ctx, http.MethodPost, "/v1/voyages/"+voyage+"/resume", r, &notes)
}

// SetBudget sets the budget of a voyage, and returns it with what the voyage has cost.
func (c *Client) SetBudget(ctx context.Context, voyage string, r BudgetRequest) (fleet.Budget, error) {
	var is fleet.Budget
	return is, c.callMethod(ctx, http.MethodPost, "/v1/voyages/"+voyage+"/budget", r, &is)
}

// Settle says which version to keep of files in conflict.
func (c *Client) Settle(ctx context.Context, voyage string, r SettleRequest) (Settled, error) {
	var done Settled
	return done, c.callMethod(ctx, http.MethodPost, "/v1/voyages/"+voyage+"/settle", r, &done)
}

// GoOnWithTree resumes the syncing of a voyage's shared tree after it has halted.
func (c *Client) GoOnWithTree(ctx context.Context, voyage string) error {
	return c.callMethod(ctx, http.MethodPost, "/v1/voyages/"+voyage+"/tree/go-on", struct{}{}, nil)
}

// FlushTree syncs all changes of the ships to the shared tree, and makes a snapshot of the tree.
func (c *Client) FlushTree(ctx context.Context, voyage string) (Flushed, error) {
	var done Flushed
	return done, c.callMethod(ctx, http.MethodPost, "/v1/voyages/"+voyage+"/tree/flush", struct{}{}, &done)
}

// RestoreTree restores files of the shared tree from a snapshot.
func (c *Client) RestoreTree(ctx context.Context, voyage string, r RestoreRequest) (Restored, error) {
	var done Restored
	return done, c.callMethod(ctx, http.MethodPost, "/v1/voyages/"+voyage+"/tree/restore", r, &done)
}

// Repair restores what Redis has lost of a session that hubs share, or returns what it would restore.
func (c *Client) Repair(ctx context.Context, voyage string, r RepairRequest) (Repaired, error) {
	var done Repaired
	return done, c.callMethod(ctx, http.MethodPost, "/v1/voyages/"+voyage+"/repair", r, &done)
}

// Cancel cancels a task for good.
func (c *Client) Cancel(ctx context.Context, voyage string, r CancelRequest) error {
	return c.callMethod(ctx, http.MethodPost, "/v1/voyages/"+voyage+"/cancel", r, nil)
}

// Dispatch puts a command into a pool's queue. A repeated request with the same key changes nothing.
func (c *Client) Dispatch(ctx context.Context, voyage string, r DispatchRequest) (Dispatched, error) {
	var d Dispatched
	return d, c.callMethod(ctx, http.MethodPost, "/v1/voyages/"+voyage+"/dispatch", r, &d)
}

// AddEpic gives a session a new task for its planner.
func (c *Client) AddEpic(ctx context.Context, voyage string, r EpicRequest) (EpicAdded, error) {
	var a EpicAdded
	return a, c.callMethod(ctx, http.MethodPost, "/v1/voyages/"+voyage+"/epics", r, &a)
}

// Drain lets a worker of a pool finish its dispatch, and then destroys it.
func (c *Client) Drain(ctx context.Context, voyage, ship string) error {
	return c.callMethod(ctx, http.MethodPost, "/v1/voyages/"+voyage+"/ships/"+ship+"/drain", nil, nil)
}

// Decide approves or rejects work that changes files which steer agents.
func (c *Client) Decide(ctx context.Context, voyage string, r DecideRequest) error {
	return c.callMethod(ctx, http.MethodPost, "/v1/voyages/"+voyage+"/decide", r, nil)
}

// DecideProposal accepts or rejects a proposal.
func (c *Client) DecideProposal(ctx context.Context, voyage string, r ProposalRequest) (ProposalDecided, error) {
	var d ProposalDecided
	return d, c.callMethod(ctx, http.MethodPost, "/v1/voyages/"+voyage+"/proposal", r, &d)
}

// SendMessage sends a message to a ship's agent and returns what became of it. Without an error the message was
// accepted and will arrive once. After an error, the request may be repeated with the same id.
func (c *Client) SendMessage(ctx context.Context, voyage, ship string, r SayRequest) (Said, error) {
	var said Said
	return said, c.callMethod(ctx, http.MethodPost, "/v1/voyages/"+voyage+"/ships/"+ship+"/say", r, &said)
}

// Interrupt makes a ship's agent stop working and wait for a message.
func (c *Client) Interrupt(ctx context.Context, voyage, ship string) (Interrupted, error) {
	var i Interrupted
	return i, c.callMethod(ctx, http.MethodPost, "/v1/voyages/"+voyage+"/ships/"+ship+"/interrupt", nil, &i)
}

// Board returns the voyage's current board; the one in snapshot.json may be a second older.
func (c *Client) Board(ctx context.Context, voyage string) (fleet.Board, error) {
	var b fleet.Board
	return b, c.callMethod(ctx, http.MethodGet, "/v1/voyages/"+voyage+"/board", nil, &b)
}

// CopyWork copies the unmerged work of ships home, of all ships if none is named, and returns the board after that.
func (c *Client) CopyWork(ctx context.Context, voyage string, ships ...string) (fleet.Board, error) {
	var b fleet.Board
	return b, c.callMethod(ctx, http.MethodPost, "/v1/voyages/"+voyage+"/look", LookRequest{ships}, &b)
}

// KeepIgnored copies the files that git ignores in a ship's clone into the voyage's directory.
func (c *Client) KeepIgnored(ctx context.Context, voyage, ship string) (KeptIgnored, error) {
	var k KeptIgnored
	return k, c.callMethod(ctx, http.MethodPost, "/v1/voyages/"+voyage+"/ships/"+ship+"/keep-ignored", nil, &k)
}

// Wait waits until helm has ended, and returns [ErrDown], or until ctx ends.
func (c *Client) Wait(ctx context.Context) error {
	resp, err := c.request(ctx, http.MethodGet, "/v1/alive", nil)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	_, err = io.Copy(io.Discard, resp.Body)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		return unreachable(err)
	}
	return ErrDown
}
