"""Runs cases: each in a folder of its own, with what it wants of exit code, words and files, and what holds for all."""
import hashlib
import os
import re
import shlex
import shutil
import signal
import stat
import subprocess
import threading
import time

# What no run may print: an exception that nobody caught, a defect, a crash.
NEVER = ("Exception in thread", "\tat ", "a defect of", "SIGSEGV", "SIGABRT", "fatal error", "AssertionError")
SECONDS = 60


class Case:
    """
    One run. args: of the command line, {dir} being the case's folder. files: path -> bytes, or a function that makes
    the file (or a function that gives all that, where it takes time); none of them may be changed, but those named in `changes`. code: the exit codes that are right, "partial" among
    them for those of a partial result, "failure" for all but 0, "any" where only crashes are wrong. says: words
    that the output must hold (a tuple of words: one of them). makes: path -> function that returns what is wrong with
    the file, or None. absent: files that must not be there. check: function of the run, the same. shell: a line with {}
    where the command goes, and {main} where the same goes without its arguments; {lib} is the folder of the jars. seconds: the
    longest time. java: more options of Java. alone: no other case runs meanwhile, since it measures time or memory, or has a
    limit that is shared; one that is interrupted always runs alone.
    """

    def __init__(self, group, name, args, files=None, code=0, says=(), makes=None, absent=(), changes=(), check=None,
                 shell=None, heap="256m", environment=None, interrupt=None, user=None, core=False, seconds=SECONDS,
                 script=False, prepare=None, java=(), alone=False):
        self.group, self.name, self.args, self.files = group, name, args, files or {}
        self.code = tuple(code) if isinstance(code, (tuple, list)) else (code,)
        self.says, self.makes, self.absent, self.changes = says, makes or {}, absent, changes
        self.check, self.shell, self.heap, self.environment = check, shell, heap, environment or {}
        self.interrupt, self.user, self.core, self.seconds, self.script = interrupt, user, core, seconds, script
        self.prepare, self.java, self.alone = prepare, list(java), alone or interrupt is not None


class Run:
    """What came of a case."""

    def __init__(self, folder):
        self.folder, self.code, self.out, self.err, self.seconds, self.answer = folder, None, "", "", 0.0, 0.0

    def path(self, name):
        return os.path.join(self.folder, name)

    def text(self):
        return self.err + self.out


class Stopped(Exception):
    """The engine was stopped: nothing is started any more."""


class Engine:
    def __init__(self, root, java, classpath, scratch):
        self.root, self.java, self.classpath, self.scratch = root, java, classpath, scratch
        self.partial = ()
        self.lock, self.running, self.stopped = threading.Lock(), set(), False

    def stop(self):
        """Ends all that runs, from any thread."""
        with self.lock:
            self.stopped = True
            for process in self.running:
                end(process)

    # ------------------------------------------------------------- the command

    def command(self, case, folder):
        args = [a.replace("{dir}", folder) for a in case.args]
        if case.script:
            return [os.path.join(self.root, "endorama")] + args
        return [self.java, "-Xmx" + case.heap, "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xshare:auto"] + case.java + [
                "-XX:ErrorFile=%s/hs_err.log" % folder, "-Djava.awt.headless=true", "-cp", self.classpath,
                "endorama.cli.Main"] + args

    def documented(self):
        """The exit codes that the command's help names."""
        help_text = self.start(Case("", "", ["--help"]), self.scratch).out
        return {int(n) for n in re.findall(r"^ +(\d+)  ", help_text, re.M)}

    def start(self, case, folder):
        run = Run(folder)
        command = self.command(case, folder)
        line = shlex.join(command)
        if case.shell:
            line = case.shell.replace("{dir}", folder).replace("{}", line).replace("{main}", shlex.join(command[:-len(case.args)]))
            line = line.replace("{lib}", os.path.dirname(self.classpath))
        environment = dict(os.environ, OMP_NUM_THREADS="2", **case.environment)
        begin = time.time()
        with self.lock:
            if self.stopped:
                raise Stopped()
            process = subprocess.Popen(["bash", "-c", line if case.shell else "exec " + line], stdin=subprocess.DEVNULL,
                                       stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment, cwd=folder,
                                       start_new_session=True, preexec_fn=lambda: child(case.user))
            self.running.add(process)
        try:
            if case.interrupt:
                self.interrupt(process, case, run)
            out, err = process.communicate(timeout=case.seconds)
            run.code = process.returncode
        except subprocess.TimeoutExpired:
            end(process)
            out, err = process.communicate()
            run.code = "none after %d s" % case.seconds
        finally:
            with self.lock:
                self.running.discard(process)
        run.seconds = time.time() - begin
        run.out, run.err = out.decode("utf-8", "replace"), err.decode("utf-8", "replace")
        if case.interrupt:
            run.answer = run.seconds - run.answer
        return run

    @staticmethod
    def interrupt(process, case, run):
        sent, delay = case.interrupt
        try:
            process.wait(delay)
        except subprocess.TimeoutExpired:
            try:
                os.killpg(process.pid, sent)
            except ProcessLookupError:
                pass
        run.answer = delay

    # --------------------------------------------------------------- judgement

    def judge(self, number, case):
        """The run, and what is wrong with it: a list of sentences."""
        if self.stopped:
            raise Stopped()
        folder = os.path.join(self.scratch, "%04d" % number)
        os.makedirs(folder)
        os.chmod(folder, 0o777)
        try:
            make(folder, case.files() if callable(case.files) else case.files)
            if case.prepare:
                case.prepare(folder)
            before = snapshot(folder)
            run = self.start(case, folder)
            return run, self.wrong(case, run, before)
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def wrong(self, case, run, before):
        found = self.exit(case, run)
        text = run.text()
        for words in case.says:
            some = (words,) if isinstance(words, str) else words
            some = [w.replace("{dir}", run.folder) for w in some]
            if not any(w.lower() in text.lower() for w in some):
                found.append("does not say " + " or ".join(map(repr, some)))
        # A signal before Java has started is answered by Java alone.
        if not (case.interrupt and "during initialization of VM" in text):
            found += ["says " + repr(w) for w in NEVER if w in text]
        if run.code not in (None, 0) and not run.err.strip() and not case.shell and not case.interrupt:
            found.append("ends with %s without a word" % run.code)
        found += self.files(case, run, before)
        if case.check and not found:
            try:
                problem = case.check(run)
            except (OSError, ValueError, KeyError, IndexError) as e:
                problem = "cannot be checked: %r" % e
            found += [problem] if problem else []
        return found

    def exit(self, case, run):
        if isinstance(run.code, str):
            return ["exit code " + run.code]
        if run.code in (134, 139, -6, -11) and run.code not in case.code:
            return ["crashed with %d" % run.code]
        right = set(case.code)
        if "partial" in right:
            right |= set(self.partial)
        if run.code in right or "any" in right or "failure" in right and run.code != 0:
            return []
        return ["exit code %s, wanted %s" % (run.code, " or ".join(map(str, case.code)))]

    @staticmethod
    def files(case, run, before):
        found = []
        after = snapshot(run.folder)
        for path, was in before.items():
            if path not in case.changes and after.get(path) != was:
                found.append("%s is %s" % (path, "changed" if path in after else "gone"))
        for path in after:
            if path.endswith(".part"):
                found.append("leaves " + path)
            # Java writes such a report of its own memory, too, and ends in order.
            if path.endswith("hs_err.log") and "insufficient memory for the Java" not in run.text():
                found.append("crashed")
        for path, valid in case.makes.items():
            if not os.path.exists(run.path(path)):
                found.append(path + " is not there")
            else:
                problem = valid(run.path(path)) if valid else None
                if problem:
                    found.append("%s: %s" % (path, problem))
        return found + ["%s is there" % p for p in case.absent if os.path.lexists(run.path(p))]


def end(process):
    """Ends a started process with all that it started itself."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass


def child(limit):
    """In the started process: signals as in a terminal, whatever this was started from, and the case's limits."""
    for each in (signal.SIGINT, signal.SIGHUP, signal.SIGTERM, signal.SIGPIPE):
        signal.signal(each, signal.SIG_DFL)
    if limit:
        limit()


def make(folder, files):
    for path, content in files.items():
        full = os.path.join(folder, path)
        os.makedirs(os.path.dirname(full), exist_ok=True)
        if callable(content):
            content(full)
        else:
            with open(full, "wb") as out:
                out.write(content)


def snapshot(folder):
    """Of every file its kind and content; of links what they lead to."""
    seen = {}
    for base, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(base, name)
            mode = os.lstat(path).st_mode
            if stat.S_ISREG(mode):
                try:
                    with open(path, "rb") as content:
                        what = hashlib.sha1(content.read()).hexdigest()
                except PermissionError:
                    what = "closed"
            else:
                what = os.readlink(path) if stat.S_ISLNK(mode) else str(stat.S_IFMT(mode))
            seen[os.path.relpath(path, folder)] = (stat.S_IFMT(mode), what)
    return seen
