package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"syscall"
	"time"

	"ocaptain/fleet/telemetry/usage"

	"github.com/spf13/cobra"

	"ocaptain/fleet"
	"ocaptain/fleet/clean"
	"ocaptain/fleet/helm/supervise"
	"ocaptain/fleet/retry"
	"ocaptain/fleet/telemetry"
	"ocaptain/theme"
	"ocaptain/ui/words"
)

// startPatience is how long the receiver may take to start or to end.
const startPatience = 20 * time.Second

// noTelemetryUsage explains --no-telemetry.
const noTelemetryUsage = "have agents send no telemetry of what they use and do"

func telemetryStartCmd(b *bridge) *cobra.Command {
	var foreground bool
	var addresses []string
	cmd := &cobra.Command{
		Use:   "telemetry-start",
		Short: "Receive what other programs of this machine measure of themselves",
		Long: `Start a process that receives OTLP, the OpenTelemetry Protocol, of other programs of this machine: metrics, logs and traces, over HTTP
and gRPC, on the usual ports of this machine alone. It runs until: ocaptain telemetry-stop

What programs must be told, and where the data is: ocaptain help telemetry`,
		Example: `ocaptain telemetry-start
OTEL_METRICS_EXPORTER=otlp OTEL_LOGS_EXPORTER=otlp CLAUDE_CODE_ENABLE_TELEMETRY=1 OTEL_EXPORTER_OTLP_PROTOCOL=grpc claude
ocaptain telemetry status`,
		Args: wantArgs(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := b.config(cmd)
			if err != nil {
				return err
			}
			dir := telemetry.LocalDir(b.hub.State)
			p, err := telemetry.FindProcess(dir)
			if err != nil {
				return err
			}
			if p != nil {
				fmt.Fprintf(b.out, "telemetry is received already, at %s, by process %d\n", at(p), p.PID)
				return nil
			}
			if foreground {
				return b.receive(cmd.Context(), c.Telemetry.Keep, addresses)
			}
			if p, err = b.startReceiver(cmd.Context(), c.Telemetry.Keep, addresses); err != nil {
				return err
			}
			fmt.Fprintf(b.out, "telemetry is received at %s, by process %d\n", at(p), p.PID)
			return nil
		},
	}
	cmd.Flags().BoolVar(&foreground, "foreground", false, "stay in this terminal until ctrl-c")
	addressFlag(cmd, &addresses)
	return cmd
}

func addressFlag(cmd *cobra.Command, into *[]string) {
	cmd.Flags().StringSliceVar(into, "address", telemetry.LocalAddresses, "addresses of this machine alone, each for HTTP and gRPC")
}

func at(p *telemetry.Process) string { return clean.Line(strings.Join(p.Addresses, " and ")) }

// receive runs the receiver until ctx ends.
func (b *bridge) receive(ctx context.Context, keep int64, addresses []string) error {
	if err := b.hub.Make(); err != nil {
		return err
	}
	err := telemetry.RunLocal(ctx, telemetry.LocalDir(b.hub.State), keep, addresses)
	if errors.Is(err, syscall.EADDRINUSE) {
		return newExitError(Failed, "stop the program that has it, or use another: ocaptain telemetry-start --address 127.0.0.1:PORT", "%w", err)
	}
	return err
}

// startReceiver starts the receiver as a process in its own session, and returns when the receiver answers.
func (b *bridge) startReceiver(ctx context.Context, keep int64, addresses []string) (*telemetry.Process, error) {
	if err := b.hub.Make(); err != nil {
		return nil, err
	}
	dir := telemetry.LocalDir(b.hub.State)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	exe, err := os.Executable()
	if err != nil {
		return nil, err
	}
	logFile := filepath.Join(dir, "log")
	log, err := os.OpenFile(logFile, os.O_CREATE|os.O_WRONLY|os.O_TRUNC|os.O_APPEND, 0o600)
	if err != nil {
		return nil, err
	}
	defer log.Close()
	ended, err := supervise.StartDetached(log, exe, "telemetry", "run", "--keep", fmt.Sprint(keep), "--address", strings.Join(addresses, ","))
	if err != nil {
		return nil, err
	}
	var p *telemetry.Process
	ctx, cancel := context.WithTimeoutCause(ctx, startPatience, retry.Late(startPatience))
	defer cancel()
	err = retry.Until(ctx, func() (bool, error) {
		if p, err = telemetry.FindProcess(dir); p != nil || err != nil {
			return true, err
		}
		select {
		case <-ended:
			said, _ := os.ReadFile(logFile)
			return false, fmt.Errorf("the receiver did not start: %s", clean.Line(strings.TrimSpace(string(said[:min(len(said), 500)]))))
		default:
			return false, nil
		}
	})
	if errors.Is(err, context.DeadlineExceeded) {
		return nil, fmt.Errorf("the receiver did not start: %w; its log is %s", context.Cause(ctx), logFile)
	}
	return p, err
}

func telemetryStopCmd(b *bridge) *cobra.Command {
	return &cobra.Command{
		Use:   "telemetry-stop",
		Short: "End what telemetry-start started; what came stays",
		Args:  wantArgs(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			dir := telemetry.LocalDir(b.hub.State)
			p, err := telemetry.FindProcess(dir)
			if err != nil {
				return err
			}
			if p == nil {
				fmt.Fprintln(b.out, "telemetry is not received: there is nothing to stop")
				return nil
			}
			p.Signal(syscall.SIGTERM)
			ctx, cancel := context.WithTimeoutCause(cmd.Context(), startPatience, retry.Late(startPatience))
			defer cancel()
			if err := retry.Until(ctx, func() (bool, error) { return !p.Alive(), nil }); err != nil {
				return fmt.Errorf("process %d does not end: %w", p.PID, context.Cause(ctx))
			}
			fmt.Fprintln(b.out, "telemetry is stopped")
			return nil
		},
	}
}

// telemetryCmd holds the commands for telemetry, and is also the help topic help/telemetry.md.
func telemetryCmd(b *bridge) *cobra.Command {
	var keep int64
	var addresses []string
	run := &cobra.Command{
		Use: "run", Short: "Be the receiver", Hidden: true, Args: wantArgs(),
		RunE: func(cmd *cobra.Command, _ []string) error { return b.receive(cmd.Context(), keep, addresses) },
	}
	run.Flags().Int64Var(&keep, "keep", telemetry.DefaultKeep, "bytes of data that are kept")
	addressFlag(run, &addresses)
	cmd := pageTopic(b, "telemetry", "Look at what programs measure of themselves, or read how it is received")
	cmd.AddCommand(telemetryStatusCmd(b), run)
	for _, c := range cmd.Commands() { // the help page belongs to "telemetry" alone
		c.SetHelpFunc(func(c *cobra.Command, args []string) { c.Root().HelpFunc()(c, args) })
	}
	return cmd
}

// telemetryStatus is the JSON of telemetry status.
type telemetryStatus struct {
	Process *telemetry.Process `json:"process"` // nil while no receiver runs
	Dir     string             `json:"dir"`
	Count   usage.Count        `json:"count"`
	Totals  usage.Totals       `json:"totals"`
	Forward []forwarded        `json:"forward"` // voyages whose telemetry is forwarded
}

// forwarded is the state of the forwarding for a voyage.
type forwarded struct {
	Voyage string `json:"voyage"`
	To     string `json:"to"`
	telemetry.Lost
}

// forwards lists the voyages whose telemetry is forwarded. It skips a voyage that cannot be read; other commands report it.
func (b *bridge) forwards() (all []forwarded, err error) {
	dirs, err := fleet.Voyages(b.hub.Voyages).List()
	if err != nil {
		return nil, err
	}
	all = []forwarded{}
	for _, d := range dirs {
		v, err := fleet.LoadVoyage(d)
		if err != nil || v.Telemetry.Forward == "" || v.Telemetry.Off {
			continue
		}
		lost, err := telemetry.LoadLost(d.Telemetry())
		if err != nil {
			return nil, err
		}
		all = append(all, forwarded{d.ID(), v.Telemetry.Forward, lost})
	}
	slices.SortFunc(all, func(a, b forwarded) int { return strings.Compare(a.Voyage, b.Voyage) })
	return all, nil
}

func telemetryStatusCmd(b *bridge) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "status",
		Short: "Show whether data of other programs is received, its sums, and what is sent on",
		Args:  wantArgs(),
		RunE: func(*cobra.Command, []string) error {
			dir := telemetry.LocalDir(b.hub.State)
			p, err := telemetry.FindProcess(dir)
			if err != nil {
				return err
			}
			sums, err := telemetry.Load(dir)
			if err != nil {
				return err
			}
			sentOn, err := b.forwards()
			if err != nil {
				return err
			}
			st := telemetryStatus{p, dir, sums.Count(), sums.Total(), sentOn}
			if asJSON {
				return printJSON(b.raw, st)
			}
			b.sayTelemetry(st)
			return nil
		},
	}
	jsonFlag(cmd, &asJSON, reflect.TypeFor[telemetryStatus]())
	return cmd
}

func (b *bridge) sayTelemetry(st telemetryStatus) {
	if p := st.Process; p != nil {
		fmt.Fprintf(b.out, "%s at %s, by process %d, since %s\n", theme.Yes.Style.Render(theme.Yes.Glyph+" telemetry is received"),
			at(p), p.PID, words.Age(b.now().Sub(p.Since)))
	} else {
		fmt.Fprintln(b.out, "telemetry is not received; start it with: ocaptain telemetry-start")
	}
	t := st.Totals
	fmt.Fprintf(b.out, "%d tokens, %s by the agents' own estimate, %s, %s with errors\n", t.Tokens.All(), orWord(words.AgentCost(t), "$0.00"),
		words.Counted(int(t.Requests), "request"), words.Counted(int(t.ToolErrors), "tool run"))
	if c := st.Count; c.Late+c.Invalid > 0 {
		fmt.Fprintf(b.out, "not summed: %d too old to tell from repetitions, %d with a value or time that cannot be\n", c.Late, c.Invalid)
	}
	fmt.Fprintln(b.out, "stored in "+clean.Line(st.Dir))
	for _, f := range st.Forward {
		fmt.Fprintf(b.out, "voyage %s is sent on to %s: %s dropped before they were sent, %d refused there\n",
			f.Voyage, clean.Line(f.To), words.Counted(f.Dropped, "export"), f.Refused)
	}
}
