// A phone's part of a room: it shows what the teacher shows, until somebody looks around; one press leads back.

import { _, number, sentences } from "./i18n.js";
import { PhoneBar } from "./room_bar.js";
import { RoomEar, sayToRoom } from "./room_ear.js";
import { askLesson, drawLessonVotes, lessonAsks, lessonChoice, lessonName, lessonRefusal, losesLesson, markLesson, showLesson } from "./room_lesson.js";
import { goToPlace, placeHere, playerHere, takeLook } from "./room_place.js";
import { quizName } from "./room_teacher.js";
import { shared } from "./shared.js";

const GLANCE = 200; // ms until the next look whether the page is what it is to be
const PATIENCE = 15_000; // ms until a place is asked for once more
const TOUCHED = 1500; // ms after a press in which what changes is somebody's own wish
const SOON = 3000; // ms from a place to its question: the teacher's page says the place first
const PRESSES = ["click", "keydown", "focusout"]; // what may be a vote, or be the end of one
const LATER = 1000; // ms within which all phones ask for another place: a class asks the server together

export class RoomPhone {
  /** `kept` is what is known from an earlier visit to the room: its name, and who one is there; `voted` is the last vote. */
  constructor(code, kept, { voted, keep, ended }) {
    Object.assign(this, { code, kept, voted, keep, ended, touched: -Infinity, isLeading: false, isAway: false });
    this.bar = new PhoneBar(code, { back: () => this.comeBack(), leave: () => this.leave() });
    this.ear = new RoomEar(code, { who: () => this.kept, hear: (news) => this.hear(news), lost: (why) => this.lost(why) });
    this.touch = ({ type, isTrusted, target }) => {
      // What is typed next is not refused yet.
      if (type === "input" && this.refused) {
        this.refused = null;
        this.say();
      }
      if (isTrusted && !this.bar.element.contains(target)) this.touched = performance.now();
    };
    for (const kind of ["pointerdown", "keydown", "input"]) addEventListener(kind, this.touch, true);
    this.pressed = (event) => this.press(event);
    for (const kind of PRESSES) addEventListener(kind, this.pressed, true);
    this.stepped = () => this.wander();
    document.addEventListener("tokviz-step", this.stepped);
    this.looking = setInterval(() => this.follow(), GLANCE);
    // Its letters may have been typed among the settings, which a phone shows in place of what the class sees.
    playerHere()?.swiped.open("");
    shared.room = { vote: (option) => this.vote(option), isVoting: () => this.isVoting };
  }

  stop() {
    this.ear.stop();
    clearInterval(this.looking);
    for (const kind of ["pointerdown", "keydown", "input"]) removeEventListener(kind, this.touch, true);
    for (const kind of PRESSES) removeEventListener(kind, this.pressed, true);
    document.removeEventListener("tokviz-step", this.stepped);
    shared.room = null;
    askLesson(false);
    this.bar.remove();
  }

  // --- hearing --------------------------------------------------------------------------------

  hear(news) {
    const { ended, name, voter, place, look, question = null, counts } = news;
    if (ended) return this.over(_("The room is over. What you see stays with you."));
    if (voter) {
      this.kept = { name, voter };
      this.keep({ ...this.kept, voted: this.voted });
    }
    if (place !== undefined) Object.assign(this, { place, placedAt: performance.now() });
    const isAskedAnew = question?.name !== this.question?.name;
    Object.assign(this, { look, question, counts, isLost: false });
    // A server that began anew knows no vote; nor does the class, of a question that comes after it.
    if (voter || isAskedAnew) this.sendVote();
    this.follow();
    this.say();
  }

  lost(why) {
    if (why === "gone" && (!this.kept.name || this.ear.isLongGone)) this.over(_("There is no room {code}. Look at the letters again.", { code: this.code }));
    else if (why === "full") this.over(_("This room is full."));
    else if (why === "off" || why === "servers") this.over(_("This server has no rooms."));
    else {
      this.isLost = true;
      this.say(why === "slow");
      return true;
    }
    return false;
  }

  say(isSlowed) {
    const said = isSlowed ? _("Many are asking for rooms. Please wait a moment.")
      : this.isLost ? _("No connection to the class. You come back by yourself.")
      : !this.look ? _("Looking for the class …")
      : !this.place ? _("Your teacher shows something else. It comes here when it can be followed.")
      : this.isAway ? _("You look around by yourself.")
      : this.isLessonVote && this.refused?.question === lessonName(this.place) ? sentences([this.refused.why], ...this.myNumber).join("")
      : this.myNumber.length ? this.myNumber[0].join("")
      : _("You follow your class.");
    this.bar.say(said);
  }

  // --- following ------------------------------------------------------------------------------

  /** Goes where the class is, unless somebody looks around. */
  follow() {
    if (!this.place || this.isAway) return;
    const player = playerHere();
    if (placeHere() !== this.place) {
      if (this.isOnTheWay()) return;
      // Another text, or page, that somebody here has chosen.
      if (this.arrived === this.place && performance.now() - this.touched < PATIENCE) return this.setAway(true);
      return this.depart();
    }
    this.departed = null;
    this.arrived = this.place;
    this.pollLesson();
    if (!player || player.head.isAhead || !("step" in this.look)) return;
    this.lead(player);
    this.poll(player);
  }

  /** Whether the page of this place was asked for. */
  isOnTheWay() {
    return this.departed?.place === this.place && performance.now() - this.departed.at < PATIENCE;
  }

  depart() {
    this.departed = { place: this.place, at: performance.now() };
    const { place } = this;
    // The first time at once: somebody looks at the page and waits.
    const wait = this.arrived === undefined ? 0 : Math.random() * LATER;
    setTimeout(() => !this.isAway && place === this.place && goToPlace(place, this.look), wait);
  }

  lead(player) {
    const { look, led } = this;
    const isThere = led?.player === player && JSON.stringify(led.look) === JSON.stringify(look);
    if (isThere) return;
    this.isLeading = true;
    takeLook(player, look, led?.look);
    this.isLeading = false;
    this.led = { player, look };
  }

  /** Somebody here went to another step. */
  wander() {
    const player = playerHere();
    if (this.isLeading || this.isAway || !this.led || player !== this.led.player) return;
    // The answer to a question of the quiz goes on by itself.
    const isElsewhere = player.moving.p !== this.look.step && !player.quiz.answered;
    if (isElsewhere && (player.playing.on || performance.now() - this.touched < TOUCHED)) this.setAway(true);
  }

  setAway(isAway) {
    this.isAway = isAway;
    document.documentElement.classList.remove("tv-voting");
    askLesson(false);
    this.bar.wander(isAway);
    this.say();
  }

  comeBack() {
    playerHere()?.playing.pause();
    Object.assign(this, { led: null, departed: null, touched: -Infinity });
    this.setAway(false);
    this.follow();
  }

  // --- votes ----------------------------------------------------------------------------------

  /** The name of the question that the quiz asks here; undefined if it asks none. */
  get quizHere() {
    const quiz = playerHere()?.quiz;
    return quiz?.on && quiz.question?.options ? quizName(this.place, quiz.question.t) : undefined;
  }

  /** Whether this page asks what the class is asked. */
  get isVoting() {
    return !this.isAway && this.question !== null && this.question?.name === this.quizHere && this.quizHere !== undefined;
  }

  /** What this phone voted for on what is asked; null for nothing. */
  get mine() {
    return this.voted?.question === this.question.name ? this.voted.choice : null;
  }

  /** The vote on a question for a number, in a sentence; none where there is none. */
  get myNumber() {
    const isOpen = this.isInLesson && !this.question.options && !this.question.shown;
    return isOpen && this.mine !== null ? [[_("Your vote: {n}", { n: number(this.mine) })]] : [];
  }

  /** Votes, also for who loads the page anew before it is shown. */
  choose(question, choice) {
    // To vote is not to look around.
    Object.assign(this, { voted: { question, choice }, touched: -Infinity });
    this.keep({ ...this.kept, voted: this.voted });
    this.sendVote();
  }

  vote(option) {
    if (!this.isVoting || this.question.shown) return;
    this.choose(this.question.name, option);
    playerHere().quiz.mark(option);
  }

  /** Whether the scene of a lesson here is the one that the class is asked about. */
  get isInLesson() {
    return !this.isAway && this.question?.name === lessonName(this.place) && this.arrived === this.place;
  }

  /** Whether what is asked in the lesson here is voted on: until the teacher shows the answer, and from the first moment. */
  get isLessonVote() {
    if (this.isAway || placeHere() !== this.place) return false;
    if (!this.question) return performance.now() - this.placedAt < SOON;
    return this.question.name === lessonName(this.place) && !this.question.shown;
  }

  press(event) {
    if (losesLesson(event) && this.isLessonVote) {
      event.stopImmediatePropagation();
      return this.refuse();
    }
    const choice = lessonChoice(event);
    if (choice === null || !this.isLessonVote) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    if (choice < 0) return this.refuse();
    this.refused = null;
    this.choose(lessonName(this.place), choice);
    markLesson(choice);
    this.say();
  }

  /** Says why what is typed is no vote. */
  refuse() {
    this.refused = { question: lessonName(this.place), why: lessonRefusal() };
    this.say();
  }

  pollLesson() {
    askLesson(this.isInLesson && !this.question.shown);
    if (!this.isInLesson) return;
    if (!this.question.shown) {
      this.revealed = null;
      return markLesson(this.mine);
    }
    drawLessonVotes(this.counts);
    // A server that began anew has forgotten that the answer was shown.
    const { name } = this.question;
    if (lessonAsks() === null || (this.revealed?.name === name && performance.now() - this.revealed.at < PATIENCE)) return;
    this.revealed = { name, at: performance.now() };
    showLesson(this.mine);
  }

  async sendVote() {
    const { voted, question, kept } = this;
    if (voted && question?.name === voted.question && !question.shown) await sayToRoom(`room/${this.code}/vote`, { ...kept, ...voted });
  }

  /** The question of the class stands here as well, and its answer once the teacher shows it. */
  poll(player) {
    const { quiz } = player;
    document.documentElement.classList.toggle("tv-voting", quiz.on);
    // The class is at the next question already.
    if (quiz.on && quiz.answered && this.question?.name === quizName(this.place, player.lanes[0].t) && player.lanes[0].t !== quiz.question.t) quiz.askAnew();
    if (!this.isVoting) return;
    const { mine } = this;
    if (this.asked !== this.question.name) {
      this.asked = this.question.name;
      player.swiped.show(quiz.frame);
    }
    if (!this.question.shown) {
      if (quiz.voted !== mine && mine !== null) quiz.mark(mine);
      return;
    }
    if (quiz.answered) return;
    quiz.hands.fill(0);
    for (const [option, n] of this.counts) quiz.hands[option] = n;
    quiz.answer(quiz.options[mine]?.option.row ?? null);
  }

  // --- the end --------------------------------------------------------------------------------

  leave() {
    this.stop();
    this.ended("");
  }

  over(said) {
    this.stop();
    this.ended(said);
  }
}
