package config

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/provider/registry"
	"ocaptain/fleet/search/meaning"
	"ocaptain/fleet/tailnet"
	"ocaptain/fleet/telemetry"
	"ocaptain/tasks"
	"ocaptain/tasks/redislog"
	"ocaptain/theme"
	"ocaptain/ui/term/predict"
)

// Setting is something that can be configured.
type Setting struct {
	Key     string // key in config.yaml; a dot leads into a nested mapping
	Env     string // environment variable, "" for none
	Kind    Kind
	Default string // the default as text, "" for none
	Help    string
}

// Kind says which values a setting takes.
type Kind string

// The kinds.
const (
	Text     Kind = "text"
	Count    Kind = "number"        // whole, from 1
	Duration Kind = "duration"      // like 30m or 2h, 0 for never
	Look     Kind = "theme"         // one of the dashboard's themes
	Switch   Kind = "switch"        // on or off
	Consent  Kind = "consent"       // on or off, or 1 or 0; no repository may choose it
	Host     Kind = "host"          // a list of hosts, in the file alone
	Path     Kind = "path"          // a list of files and directories, in the file alone
	Pattern  Kind = "pattern"       // a list of patterns as in .gitignore, in the file alone
	Port     Kind = "port"          // a list of TCP ports, in the file alone
	Number   Kind = "whole number"  // a number of processes
	Size     Kind = "size"          // a size of memory or disk, like 8GB
	Kept     Kind = "size of files" // a size of files, like 256MB
	Receiver Kind = "endpoint"      // the endpoint of a collector, in the file alone
	Price    Kind = "price"         // US dollars an hour, in the file alone
	Sinking  Kind = "word"          // never, or verified
	Begin    Kind = "beginning"     // here, or newest; in the file alone
	Way      Kind = "way"           // git, or live
	Service  Kind = "service"       // a service of embeddings, or off; in the file alone, as code is sent there
	Tokens   Kind = "tokens"        // a number of tokens; in the file alone, as they cost money
	Steering Kind = "answer"        // flag, ask, or deny; in the file alone, as no repository may choose it
	Guess    Kind = "guess"         // auto, always or never
	Tag      Kind = "tag"           // a tag of devices on a tailnet
	Sum      Kind = "sum"           // US dollars, 0 for any
	Command  Kind = "command"       // a program and its arguments, in the file alone
	Files    Kind = "number of files"
	Few      Kind = "small number" // whole, from 0 to maxFew
	Shell    Kind = "command line" // a command for a shell, of any number of lines
	Approval Kind = "approval"     // what the captain wants to approve: plan
	URL      Kind = "URL"          // the URL of a Redis

	BeadsMode Kind = "mode of Beads" // auto, cli, jsonl or off
)

// Settings lists everything that config.yaml may hold, in the order of the documentation.
func Settings() []Setting {
	all := []Setting{
		{"provider", "OCAPTAIN_PROVIDER", Text, "local", "where ships come from; several with numbers, like sprites=3,hosts=2"},
		{"default_ships", "OCAPTAIN_DEFAULT_SHIPS", Count, "", "ships of a voyage; without it the plan's own number counts, else 3"},
		{"agent", "OCAPTAIN_AGENT", Text, "claude", "the program that codes"},
		{"model", "OCAPTAIN_MODEL", Text, "", "model that the agent is asked to use; without it the agent's own choice"},
		{"reclaim", "OCAPTAIN_RECLAIM", Duration, "0", "silence after which a ship's task goes to another; 0 for never"},
		{"max_age", "OCAPTAIN_MAX_AGE", Duration, "0", "age past which you are told of a voyage or a ship; sail --max-age sinks such ships, too; 0 for never"},
		{"max_cost", "OCAPTAIN_MAX_COST", Sum, "0", "US dollars that the agents of a voyage may cost, by what they say themselves; then they begin nothing more until you set more with ocaptain budget; 0 for any sum"},
		{"max_cost_stop", "OCAPTAIN_MAX_COST_STOP", Switch, "off", "whether agents are interrupted when max_cost is reached; else they end their turns"},
		{"max_rate", "OCAPTAIN_MAX_RATE", Sum, "0", "US dollars that the agent of a ship may cost within an hour, by what it says itself; then it begins nothing more until it is less; 0 for any sum"},
		{"idle_warning", "OCAPTAIN_IDLE_WARNING", Duration, "30m", "how long a ship that costs rests with nothing to claim before you are told; 0 for never"},
		{"sink", "OCAPTAIN_SINK", Sinking, "never", "whether ships are sunk by themselves: never, or verified, once verify.sh has passed"},
		{"base", "", Begin, "here", "where work on a repository on this machine begins: here, at the branch as it is, or newest, at what is fetched from its remote first, as --fetch does"},
		{"sync", "OCAPTAIN_SYNC", Way, "git", "how work travels in voyages of plans, unless the plan says: git, where each ship has a tree of its own and a completion is a merge, or live, one tree that you and all ships share, by Mutagen; see ocaptain help live"},
		{"guard.steering", "", Steering, fleet.SteeringFlag, "what is done when an agent changes files that steer agents, like CLAUDE.md, .claude or .github/workflows: flag merges and marks it, ask waits for your word, deny never merges it"},
		{"theme", "OCAPTAIN_THEME", Look, "auto", "colours of the dashboard: auto, " + themes()},
		{"bell", "OCAPTAIN_BELL", Switch, "on", "whether the dashboard rings and notifies when something needs the captain"},
		{"attach.predict", "", Guess, string(predict.Auto), "whether what you type to a ship, attached or with i, is shown, underlined, before the ship has echoed it: auto, while an echo takes more than 30 ms, always, or never"},
		{"notify", "", Command, "", "command that helm runs when something needs the captain, who is told by it also without a dashboard: a list like [my-notifier, --urgent]; what it is about is on its standard input, as JSON"},
		{"hosts", "", Host, "", "machines that you own, for the provider hosts: a list like [user@host:22, name*4]"},
		{"local.bind", "", Path, "", "what ships on this machine see besides system programs, read-only: a list like [~/.nvm/versions]"},
		{"local.expose", "", Port, "", "TCP ports of this machine's loopback that ships on it reach at their own, like [5432]; they reach nothing else here"},
		{"local.processes", "", Number, "4096", "processes and threads that a confined ship on this machine may have"},
		{"local.memory", "", Size, "", "memory that a confined ship on this machine may have, like 8GB; without it three quarters of this machine's"},
		{"local.disk", "", Size, "", "disk of this machine that a ship on it may use, like 20GB; without it a tenth of what is free, at least 5 GB"},
		{"disk.keep", "", Kept, "", "disk that sunk voyages may have together, like 20GB; helm archives the oldest beyond that, but for those of the last day; without it all stay"},
		{"local.nested", "", Switch, "off", "whether programs on a confined ship on this machine may make user namespaces, as sandboxes of their own need"},
		{"repository.max_ships", "", Count, "8", "how many ships the captain.yaml of a repository, which may be somebody else's, may ask for"},
		{"bring", "", Pattern, "", "files of your checkout that git ignores and ships get, such as .env, by patterns as in .gitignore: a list like [.env, certs/dev.pem]; read when a voyage is made"},
		{"bring_size", "", Kept, "64MB", "how large the files that are brought may be together"},
		{"bring_files", "", Files, "1000", "how many files may be brought"},
		{"search", "", Switch, "off", "whether agents of plans and pools are given tools that find code, as those of sessions are; read when a voyage is made"},
		{"embeddings", "", Service, "off", "service that the text of your code is sent to, so that it is found by what it means, too: openai with OPENAI_API_KEY, or voyage with VOYAGE_API_KEY; read when a voyage is made"},
		{"embeddings_tokens", "", Tokens, "20000000", "tokens that the ships of a voyage may have that service count; then they find the rest by words alone"},
		{"telemetry.send", "OCAPTAIN_TELEMETRY", Consent, "on", "whether agents tell helm what they use and do: telemetry: off in the file is the same; read when a voyage is made"},
		{"telemetry.content", "", Consent, "off", "whether that has the texts of prompts and what tools are given; read when a voyage is made"},
		{"telemetry.keep", "", Kept, "256MB", "disk that the data may have which agents and other programs send of themselves, for each voyage; the oldest goes first, and sums stay"},
		{"telemetry.forward", "", Receiver, "", "collector of OpenTelemetry that helm sends on to what ships deliver, by OTLP over HTTP; read when a voyage is made"},
		{"tailscale_tag", "OCAPTAIN_TAILSCALE_TAG", Tag, "", "tag of the ships' devices on your tailnet; without it " + tailnet.DefaultTag},
	}
	for _, d := range slices.Backward(registry.All()) { // providers that cost money come first
		all = append(all, Setting{"price." + d.Name, "", Price, "", "US dollars that an hour of a ship " + d.Where + " costs you: your own figure, as no provider tells"})
		for _, own := range d.Settings {
			all = append(all, Setting{d.Name + "." + own.Key, "OCAPTAIN_" + strings.ToUpper(d.Name+"_"+own.Key), Text, "", own.Help})
		}
	}
	return all
}

// FlagOf returns the flag with the meaning of a setting, on commands that have it.
func FlagOf(key string) string {
	return strings.ReplaceAll(strings.TrimPrefix(key, "default_"), "_", "-")
}

// parse parses the text of a setting, and records what is wrong with it.
func (s Setting) parse(text, name string, bad *Error) (v any, ok bool) {
	v, err := s.parseValue(text)
	switch {
	case err == nil:
		return v, true
	case s.Kind == URL || s.Kind == Receiver: // the text may hold a password
		bad.add("%s %v", name, err)
	default:
		bad.add("%s is %q; it %v", name, short(text), err)
	}
	return nil, false
}

// parseValue parses the text of a setting. The error says what is allowed.
func (s Setting) parseValue(text string) (any, error) {
	text = strings.TrimSpace(text)
	switch s.Kind {
	case Count:
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 || n > MostShips {
			return nil, fmt.Errorf("must be a whole number from 1 to %d", MostShips)
		}
		return n, nil
	case Duration:
		if text == "0" {
			return time.Duration(0), nil
		}
		d, err := time.ParseDuration(text)
		if err != nil || d < 0 {
			return nil, fmt.Errorf("must be a duration like 30m or 2h, or 0 for never")
		}
		return d, nil
	case Look:
		if text != "auto" && !theme.Name(text).IsValid() {
			return nil, fmt.Errorf("must be auto, %s", themes())
		}
		return text, nil
	case Switch:
		if text != "on" && text != "off" && text != "true" && text != "false" {
			return nil, fmt.Errorf("must be on or off, or true or false")
		}
		return text == "on" || text == "true", nil
	case Consent:
		switch text {
		case "on", "true", "1":
			return true, nil
		case "off", "false", "0":
			return false, nil
		}
		return nil, fmt.Errorf("must be on or off")
	case Price:
		usd, err := strconv.ParseFloat(text, 64)
		if err != nil || !(usd > 0 && usd <= maxPrice) {
			return nil, fmt.Errorf("must be a price in US dollars an hour, above 0 and at most %d; without one remove the line", maxPrice)
		}
		return usd, nil
	case Sum:
		return ParseSum(text)
	case Sinking:
		if text != "never" && text != Verified {
			return nil, fmt.Errorf("must be never, or %s", Verified)
		}
		return text, nil
	case Begin:
		if text != "here" && text != Newest {
			return nil, fmt.Errorf("must be here, or %s", Newest)
		}
		return text, nil
	case Way:
		if text != "git" && text != fleet.SyncLive {
			return nil, fmt.Errorf("must be git, or %s", fleet.SyncLive)
		}
		return text, nil
	case Guess:
		if m := predict.Mode(text); m != predict.Auto && m != predict.Always && m != predict.Never {
			return nil, fmt.Errorf("must be %s, %s, or %s", predict.Auto, predict.Always, predict.Never)
		}
		return text, nil
	case Steering:
		if text != fleet.SteeringFlag && text != fleet.SteeringAsk && text != fleet.SteeringDeny {
			return nil, fmt.Errorf("must be %s, %s, or %s", fleet.SteeringFlag, fleet.SteeringAsk, fleet.SteeringDeny)
		}
		return text, nil
	case Tag:
		if !tailnet.IsTag(text) {
			return nil, fmt.Errorf("must be a tag of your tailnet's policy, like %s", tailnet.DefaultTag)
		}
		return text, nil
	case Number:
		n, err := strconv.Atoi(text)
		if err != nil || n < leastProcesses || n > maxProcesses {
			return nil, fmt.Errorf("must be a whole number from %d to %d", leastProcesses, maxProcesses)
		}
		return n, nil
	case Service:
		if _, ok := meaning.ServiceOf(text); !ok && text != "off" {
			return nil, fmt.Errorf("must be off, openai, or voyage")
		}
		return text, nil
	case Tokens:
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 || n > maxTokens {
			return nil, fmt.Errorf("must be a whole number from 1 to %d", maxTokens)
		}
		return n, nil
	case Few:
		n, err := strconv.Atoi(text)
		if err != nil || n < 0 || n > maxFew {
			return nil, fmt.Errorf("must be a whole number from 0 to %d", maxFew)
		}
		return n, nil
	case Approval:
		if text != "plan" {
			return nil, fmt.Errorf("must be plan; without it you are not asked")
		}
		return text, nil
	case BeadsMode:
		if !slices.Contains([]string{"auto", "cli", "jsonl", "off"}, text) {
			return nil, fmt.Errorf("must be auto, cli, jsonl or off")
		}
		return text, nil
	case URL:
		return text, redislog.CheckURL(text)
	case Receiver:
		return text, telemetry.CheckEndpoint(text)
	case Shell:
		if text == "" || strings.Contains(text, "\x00") || len(text) > tasks.MaxCommand {
			return nil, fmt.Errorf("must be a command for a shell, of at most %d bytes", tasks.MaxCommand)
		}
		return text, nil
	case Size:
		return parseSize(text, leastMemory)
	case Kept:
		return parseSize(text, leastKept)
	case Command:
		return strings.Split(text, "\x00"), nil // parseItem has checked each
	case Files:
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 || n > maxFiles {
			return nil, fmt.Errorf("must be a whole number from 1 to %d", maxFiles)
		}
		return n, nil
	case Host, Path, Pattern:
		return strings.Split(text, "\n"), nil // parseItem has checked each
	case Port:
		var all []int
		for one := range strings.SplitSeq(text, "\n") {
			n, err := strconv.Atoi(one)
			if err != nil {
				return nil, err
			}
			all = append(all, n)
		}
		return all, nil
	}
	if text == "" || strings.ContainsAny(text, "\n\x00") {
		return nil, fmt.Errorf("must be a word in one line")
	}
	return text, nil
}

// themes lists the names of the themes.
func themes() string {
	var names []string
	for _, n := range theme.Names() {
		names = append(names, string(n))
	}
	return strings.Join(names, ", ")
}

// Verified is the value of the setting sink that sinks the ships after a verification has passed.
const Verified = "verified"

// maxTokens is more tokens than any repository has.
const maxTokens = 10_000_000_000

// maxFiles is the limit of files that ships may be brought.
const maxFiles = 100_000

// maxFew is the limit of a setting of kind Few.
const maxFew = 10

// maxPrice is more than an hour of any machine costs, in US dollars.
const maxPrice = 1000

// maxSum is more than any voyage costs, in US dollars.
const maxSum = 1_000_000

// ParseSum parses a sum in US dollars, 0 for no limit.
func ParseSum(text string) (float64, error) {
	usd, err := strconv.ParseFloat(strings.TrimPrefix(strings.TrimSpace(text), "$"), 64)
	if err != nil || !(usd >= 0 && usd <= maxSum) {
		return 0, fmt.Errorf("must be a sum in US dollars from 0, for any, to %d", maxSum)
	}
	return usd, nil
}

// MostShips is the limit of the ships of one voyage.
const MostShips = 1000

// Newest is the value of base that fetches the newest state of the remote first.
const Newest = "newest"
