// The teacher's part of a room: whatever the page shows is told to it, and so are the questions that are asked.

import { checksum } from "./checksum.js";
import { _ } from "./i18n.js";
import { TeacherBar } from "./room_bar.js";
import { RoomEar, sayToRoom } from "./room_ear.js";
import { drawLessonVotes, isLessonAnswered, lessonAsks, lessonName } from "./room_lesson.js";
import { homeOfApp, lookHere, placeHere, playerHere } from "./room_place.js";
import { shared } from "./shared.js";

const EVERY = 200; // ms until the next look for what is shown otherwise
const ANEW = 4000; // ms for which a room that came back asks again: phones are there by then, and have said their votes

/** The name of a question of a quiz: the same on all pages that show the same. */
export const quizName = (place, t) => `quiz/${checksum(place)}/${t}`;

/** Starts a room, or brings back the one of a key; what is told of it, or why there is none. */
export async function openRoom(key) {
  const href = homeOfApp().href;
  const room = await sayToRoom("room", { ...(key && { key }), href, shown: seen() ?? { look: {} } });
  return { ...room, href };
}

/** What the page shows; null while its player shows what others cannot know yet. */
function seen() {
  const player = playerHere();
  if (player?.head.isAhead) return null;
  const place = placeHere();
  return { place, look: (place && lookHere()) || {} };
}

export class RoomTeacher {
  constructor(room, { ended }) {
    Object.assign(this, { room, ended, told: {}, shownName: "", cameBack: -Infinity });
    this.bar = new TeacherBar(room, { end: () => this.end() });
    this.ear = new RoomEar(room.code, {
      who: () => ({ key: room.key }), hear: (news) => this.hear(news), lost: (why) => this.lost(why),
    });
    this.stepped = () => this.tell();
    document.addEventListener("tokviz-step", this.stepped);
    this.looking = setInterval(() => {
      this.tell();
      this.drawVotes();
    }, EVERY);
    shared.room = { reveal: () => this.reveal() };
  }

  stop() {
    this.ear.stop();
    clearInterval(this.looking);
    document.removeEventListener("tokviz-step", this.stepped);
    shared.room = null;
    this.bar.remove();
  }

  // --- telling --------------------------------------------------------------------------------

  /** What is asked now; null if nothing. Who shows votes takes no more of them, and a room that came back has none yet. */
  question(place) {
    const asked = this.asked(place);
    return asked && { ...asked, shown: asked.shown && performance.now() - this.cameBack > ANEW };
  }

  asked(place) {
    if (!place) return null;
    const quiz = playerHere()?.quiz;
    if (!quiz?.on || !quiz.question?.options) return this.lessonQuestion(place);
    if (!shared.tally.hands) quiz.setHands(true);
    const name = quizName(place, quiz.question.t);
    return { name, options: quiz.question.options.length, shown: name === this.shownName };
  }

  /** What a scene of a lesson asks; its answer on the page shows what was voted for. */
  lessonQuestion(place) {
    const name = lessonName(place);
    const options = lessonAsks();
    const isAsked = options !== null;
    if (isAsked) this.scene = { name, options };
    if (this.scene?.name !== name) return null;
    const isShown = !isAsked && isLessonAnswered();
    return isAsked || isShown ? { ...this.scene, shown: isShown } : null;
  }

  /** Tells what changed. One thing after the other: what changes meanwhile is told together. */
  async tell() {
    if (this.isTelling) {
      this.again = true;
      return;
    }
    const now = seen();
    // Whoever loaded the page anew has to hear first what is asked.
    if (!now || !this.hasHeard) return;
    const shown = { ...now, question: this.question(now.place) };
    const written = JSON.stringify(shown);
    if (written === this.told.written) return;
    this.isTelling = true;
    const { place, ...others } = shown;
    const { key, code } = this.room;
    const { status } = await sayToRoom(`room/${code}/show`, { key, shown: place === this.told.place ? others : shown });
    if (status === 200) this.told = { written, place };
    this.isTelling = false;
    if (status === 200 && this.again) this.tell();
    this.again = false;
    this.mention(place);
  }

  /** What the teacher should know of what phones see. */
  mention(place) {
    if (!this.isAway) this.bar.say(place ? "" : _("Phones stay where they were: this page, or so long a text, cannot be followed."));
  }

  /** Shows what was voted for: those that raise hands in the room besides are counted, too. */
  reveal() {
    this.shownName = this.question(placeHere())?.name ?? "";
    this.tell();
  }

  // --- hearing --------------------------------------------------------------------------------

  hear({ ended, here, voted, question, counts }) {
    if (ended) return this.over();
    if (!this.hasHeard) this.remember(question);
    this.isAway = false;
    this.mention(placeHere());
    this.bar.count(here, question ? voted : null);
    this.counts = question?.shown ? counts : null;
    this.drawVotes();
    const quiz = playerHere()?.quiz;
    const isOurs = question?.shown && quiz?.on && question.name === this.shownName && question.name === this.question(placeHere())?.name;
    if (!isOurs || quiz.answered) return;
    for (const [option, n] of counts) quiz.hands[option] += n;
    quiz.answer(quiz.majority());
  }

  /** What was asked before this page was loaded, or was in another language, is asked still. */
  remember(question) {
    this.hasHeard = true;
    if (question?.shown) this.shownName = question.name;
    if (question?.name === lessonName(placeHere())) this.scene = { name: question.name, options: question.options };
  }

  /** The page may have been drawn anew since. */
  drawVotes() {
    if (this.counts && this.scene?.name === lessonName(placeHere())) drawLessonVotes(this.counts);
  }

  /** The room is there no more, or nobody answers: the server may have begun anew, and gets the room from here. */
  lost(why) {
    this.isAway = true;
    this.bar.say(_("No connection to the room. It comes back by itself."));
    if (why === "gone") this.bringBack();
    return true;
  }

  async bringBack() {
    const room = await openRoom(this.room.key);
    if (room.status === 404) this.over();
    else if (room.status === 200) Object.assign(this, { told: {}, cameBack: performance.now() });
  }

  async end() {
    const { key, code } = this.room;
    await sayToRoom(`room/${code}/end`, { key });
    this.over();
  }

  over() {
    this.stop();
    this.ended();
  }
}
