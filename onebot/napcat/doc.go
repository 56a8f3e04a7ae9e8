// Package napcat goes with NapCat, the implementation of OneBot that runs inside QQ. A [Bot] has the actions that only
// NapCat knows, [Upload] and [Download] bring files to its machine and back, and a [Supervisor] runs it as a child
// process and keeps it up:
//
//	napcat.NewSupervisor(napcat.Options{
//		Command: "xvfb-run",
//		Args:    []string{"-a", "qq", "--no-sandbox", "-q", "10001"},
//		Config: napcat.Config{
//			Dir:     "/opt/QQ/resources/app/app_launcher/napcat/config",
//			Account: 10001, WSPort: 3001, Token: token,
//		},
//		Logger: slog.Default(),
//	})
//
// Its Run goes beside the Run of an [onebot.Client] at ws://127.0.0.1:3001, which dials until NapCat is there.
//
// # The child's life
//
// Before each start the OneBot configuration is brought to what [Config] says, so that NapCat listens on loopback
// with a token. Then the child runs and is asked for its account, get_login_info, until it answers: it is ready. As
// NapCat opens its ports only once QQ is logged in, somebody may have to scan the QR code in the log first (NapCat also
// keeps it as cache/qrcode.png). From then
// on it is asked at intervals. A child that ends, that is not ready within [Options.StartTimeout], or that fails
// several pings, is replaced: after 1 s, then 2, 4 and 8, so that within 10 s of a crash the next one runs. After too
// many restarts in too short a time Run gives up with a [*CrashLoopError].
//
// [Supervisor.State] tells how it is, [Supervisor.Changed] and [Supervisor.Wait] when that changes.
//
// NapCat's files are its own but for that configuration: nothing of logins is read or written.
//
// # Ending
//
// A child is asked to end, and ended by force after [Options.GracePeriod], always with everything that it started; also
// when it crashed, before the next one starts. When this process dies and cannot do so, the system does:
//
//   - Linux: the child is in a process group that a guard leads, a small shell (/bin/sh) that reads a pipe from this
//     process. When the pipe ends, the guard kills the group, and, by a mark in their environment that it finds in
//     /proc with grep, also those that left the group. All are gone in far less than a second after a SIGKILL.
//     Besides, the kernel kills the direct child when the guard was killed before. What gets away: after leaving the
//     group, who also dropped its environment, runs as another user, or overwrote its environment for a process
//     title. Where there is no shell, only the direct child is killed; a warning says so.
//   - macOS, BSD and other Unix: the same guard and group, without the search for the mark and without the kernel's
//     help. What leaves the group, by setsid or setpgid, gets away.
//   - Windows: a job object, which the system ends with the last handle to it. Nothing gets away. There is no
//     SIGTERM: the child is asked by Ctrl+Break, which reaches console programs when this one has a console, too.
//   - Elsewhere: the direct child is ended when Run ends, and left alone when this process dies.
//
// While this process is stopped (SIGSTOP), everything else goes on.
//
// # Output
//
// What the child writes goes to [Options.Logger], a record for each line, without colours and control characters.
// Known secrets and what looks like a token, as NapCat prints that of its web interface, are replaced by ***. NapCat
// logs messages of chats, too: its own napcat.json says from what level on. Output that comes too fast is read and
// left out, and counted.
//
// # Time
//
// Pauses and time limits follow the wall clock.
//
// # Concurrency
//
// All methods may be called concurrently. When Run returns, all goroutines and processes that it started have ended.
//
// # Caveats
//
// NapCat reads its configuration when the account logs in: what Apply writes while it runs, it does not see.
//
// Whoever answers at the port counts as the child: a NapCat that was started by hand must not run beside it.
//
// In a container whose first process is this one, what the child leaves behind becomes a zombie, which nobody but an
// init takes away: docker run --init.
//
// A restart of QQ may ask for a login anew. An account that QQ put offline still answers; a Ping of one's own that
// looks at get_status makes that a reason for a restart, if it shall be one.
package napcat
