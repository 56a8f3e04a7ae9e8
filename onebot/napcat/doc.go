// Package napcat runs NapCat, the OneBot implementation inside QQ, and calls its own actions. A [Supervisor] runs
// NapCat as a child process and restarts it after a crash. A [Bot] has the actions that only NapCat supports.
// [Upload] and [Download] copy files to NapCat's machine and back.
//
//	supervisor, err := napcat.NewSupervisor(napcat.Options{
//		Command: "xvfb-run",
//		Args:    []string{"-a", "qq", "--no-sandbox", "-q", "10001"},
//		Config: napcat.Config{
//			Dir:     "/opt/QQ/resources/app/app_launcher/napcat/config",
//			Account: 10001, WSPort: 3001, Token: token,
//		},
//		Logger: slog.Default(),
//	})
//	…
//	err = supervisor.Run(ctx) // in parallel with the Run of an onebot.Client at ws://127.0.0.1:3001
//
// # Life cycle of the child
//
// Before each start the Supervisor applies [Config], so that NapCat listens on loopback with a token. It starts the
// child and calls get_login_info until NapCat responds. Then the child is ready. NapCat opens its ports only after
// the login to QQ, so somebody may have to scan the QR code in the log. NapCat also stores it as cache/qrcode.png.
// From then on the Supervisor pings the child at intervals.
//
// The Supervisor restarts a child that exits, that is not ready within [Options.StartTimeout], or that fails several
// pings. It waits 1 s before the first restart, then 2, 4 and 8 s. After too many restarts in a short time Run
// returns a [*CrashLoopError].
//
// [Supervisor.State] returns the current state. [Supervisor.Changed] and [Supervisor.Wait] report changes. The
// Supervisor reads and writes no NapCat file except the OneBot configuration, and no login data.
//
// # Termination
//
// The Supervisor asks a child to exit and kills it after [Options.GracePeriod], together with all of its descendants. After
// a crash it also kills the remaining descendants before the next start. If this process dies, the operating system
// ends the child:
//
//   - Linux: the child is in a process group led by a guard, a small shell (/bin/sh) that reads a pipe from this
//     process. When the pipe closes, the guard kills the group. It also kills processes that left the group, if their
//     environment in /proc contains a mark. Everything ends in less than a second after a SIGKILL. If the guard was
//     killed before, the kernel kills the direct child. A process escapes only if it left the group and also dropped
//     its environment, runs as another user, or overwrote its environment with a process title. Without a shell, only
//     the direct child is killed, and a warning is logged.
//   - macOS, BSD and other Unix: the same guard and group, without the search for the mark and without the kernel's
//     help. A process that leaves the group by setsid or setpgid escapes.
//   - Windows: a job object that ends with its last handle. No process escapes. There is no SIGTERM: the Supervisor
//     sends Ctrl+Break, which reaches console programs if this process has a console, too.
//   - Other systems: the direct child ends when Run ends. It survives the death of this process.
//
// If this process is stopped (SIGSTOP), the child continues.
//
// # Output
//
// The child's output goes to [Options.Logger], one record for each line, without colors and control characters. Known
// secrets and text that looks like a token, such as the token of NapCat's web interface, are replaced by ***. NapCat
// also logs chat messages; set the level in its napcat.json. Output above a rate limit is dropped and counted.
//
// # Concurrency
//
// All methods may be called concurrently. When Run returns, all goroutines and processes that it started have ended.
//
// # Time
//
// Pauses and timeouts use the wall clock.
//
// # Caveats
//
// NapCat reads its configuration when the account logs in. It does not notice changes made by Apply while it runs.
//
// Any program that responds on the port counts as the child. Do not run a manually started NapCat at the same time.
//
// If this process is the first process of a container, exited descendants of the child become zombies. Use an init
// process: docker run --init.
//
// A restart of QQ may require a new login. An account that QQ logged out still responds to pings. To restart then,
// set a Ping that checks get_status.
package napcat
